// cudahot-extract: from .cu files to slices, CUBINs, bundles.
#include <malloc.h>

#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tools/cudahot-extract/options.hpp"
#include "tools/cudahot-extract/report.hpp"
#include "tools/cudahot-extract/run.hpp"

int main(int argc, char** argv) {
  // One heap for all threads: those of their own grow page by page, which is a tenth of the time of a parse.
  ::mallopt(M_ARENA_MAX, 1);
  using namespace cudahot;
  using namespace cudahot::extract_tool;
  const auto command = parse_command_line(std::vector<std::string>(argv + 1, argv + argc));
  if (!command) {
    fmt::print(stderr, "cudahot-extract: error: {}\n", command.error().message);
    return 2;
  }
  if (!command->options) {
    fmt::print("{}", command->help);
    return 0;
  }
  const Options& options = *command->options;
  const auto log = [](LogLevel level, std::string_view text) {
    if (level >= LogLevel::warning) fmt::print(stderr, "cudahot-extract: warning: {}\n", text);
  };
  const auto progress = [&](const std::string& line) {
    if (options.verbose) fmt::print(stderr, "cudahot-extract: {}\n", line);
  };
  const Outcome outcome = run(options, log, progress);
  fmt::print(stderr, "{}", messages(outcome));
  const bool stores = options.bundle || options.cache || options.slice_folder;
  if (options.json) fmt::print("{}", to_json(outcome));
  else if (options.verbose || options.list || !stores) fmt::print("{}", summary(outcome));
  return exit_code(outcome);
}
