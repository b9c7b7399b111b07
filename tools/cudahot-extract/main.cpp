// cudahot-extract: from .cu files to slices, CUBINs, bundles.
#include <malloc.h>

#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lib/base/files.hpp"
#include "tools/cudahot-extract/options.hpp"
#include "tools/cudahot-extract/report.hpp"
#include "tools/cudahot-extract/run.hpp"
#include "tools/cudahot-extract/sarif.hpp"

namespace {

// Gives the exit code. A full disk or a closed pipe must not pass for a complete answer.
int print(const std::string& text, int exit_code) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) == 0 && written) return exit_code;
  (void)std::fputs("cudahot-extract: error: cannot write to standard output\n", stderr);
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  // One heap for all threads: those of their own grow page by page, which is a tenth of the time of a parse.
  ::mallopt(M_ARENA_MAX, 1);
  using namespace cudahot;
  using namespace cudahot::extract_tool;
  const auto command = parse_command_line(std::vector<std::string>(argv + 1, argv + argc));
  if (!command) {
    (void)std::fputs(fmt::format("cudahot-extract: error: {}\n", command.error().message).c_str(), stderr);
    return 2;
  }
  if (!command->options) return print(command->help, 0);
  const Options& options = *command->options;
  Progress progress(progress_for(options.verbose));
  const auto log = [&](LogLevel level, std::string_view text) {
    if (level >= LogLevel::warning) progress.warn(text);
  };
  Outcome outcome = run(options, log, progress);
  progress.clear();
  if (options.sarif) {
    auto written = base::write_file_atomically(*options.sarif, to_sarif(outcome, CUDAHOT_VERSION));
    if (!written && !outcome.error) outcome.error = std::move(written.error());
  }
  (void)std::fputs(messages(outcome).c_str(), stderr);
  const bool stores = options.bundle || options.cache || options.slice_folder;
  if (options.json) return print(to_json(outcome), exit_code(outcome));
  if (options.verbose || options.list || !stores) return print(summary(outcome), exit_code(outcome));
  return exit_code(outcome);
}
