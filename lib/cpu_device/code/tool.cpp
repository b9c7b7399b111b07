#include "lib/cpu_device/code/tool.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace cudahot::cpu_device {
namespace {

// ": what it wrote", or nothing.
std::string with_output(std::string text) {
  while (text.ends_with('\n')) text.pop_back();
  return text.empty() ? text : ": " + text;
}

}  // namespace

Result<base::ProcessOutcome> run_tool(base::ProcessRequest request, const std::function<bool()>& cancelled,
                                      std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  bool late = false;
  request.extra_environment = {"LC_ALL=C",
                               "CPATH=", "CPLUS_INCLUDE_PATH=", "CCC_OVERRIDE_OPTIONS=", "SOURCE_DATE_EPOCH=0"};
  request.cancelled = [&] {
    if (cancelled && cancelled()) return true;
    late = std::chrono::steady_clock::now() >= deadline;
    return late;
  };
  auto outcome = base::run_process(request);
  if (!outcome) return outcome;
  const std::string& program = request.arguments.front();
  if (late) {
    return fail(ErrorCode::environment,
                fmt::format("{} had not ended after {} s and was stopped{}; does it hang?", program,
                            std::chrono::duration<double>(limit).count(), with_output(outcome->err)));
  }
  if (outcome->cancelled) return fail(ErrorCode::busy, "the compile for the CPU device was cancelled");
  if (outcome->signal != 0) {
    return fail(ErrorCode::environment, fmt::format("{} was ended by signal {} ({}){}", program, outcome->signal,
                                                    ::strsignal(outcome->signal), with_output(outcome->err)));
  }
  return outcome;
}

tl::unexpected<Error> tool_failed(const std::string& program, const base::ProcessOutcome& outcome) {
  return fail(ErrorCode::environment,
              fmt::format("{} failed with exit code {}{}", program, outcome.exit_code,
                          outcome.err.empty() ? " and said nothing" : with_output(outcome.err)));
}

}  // namespace cudahot::cpu_device
