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
  if (!command->options) {
    fmt::print("{}", command->help);
    return 0;
  }
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
  if (options.json) fmt::print("{}", to_json(outcome));
  else if (options.verbose || options.list || !stores) fmt::print("{}", summary(outcome));
  return exit_code(outcome);
}
