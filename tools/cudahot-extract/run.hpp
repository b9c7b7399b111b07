// One run of cudahot-extract: extract every file, compile what was found, store it.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/build/builder.hpp"
#include "lib/extract/extract.hpp"
#include "tools/cudahot-extract/options.hpp"

namespace cudahot::extract_tool {

struct CubinOutcome {
  region::SmArch arch;
  region::Tier tier = region::Tier::full;
  Result<build::BuiltCubin> built;
};

struct FileOutcome {
  std::filesystem::path file;  // as named on the command line
  extract::ExtractReport report;
  std::optional<Error> error;  // the extraction could not be done at all
  std::vector<CubinOutcome> cubins;
};

struct Outcome {
  std::vector<FileOutcome> files;
  std::optional<Error> error;  // of the run as a whole; files may be empty
};

// Called from any thread, one call at a time, with one line about what has been done.
using Progress = std::function<void(const std::string& line)>;

// Writes the outputs that `options` ask for only when everything before succeeded.
Outcome run(const Options& options, const LogCallback& log, const Progress& progress);

// 0 done, 1 the source is at fault, 2 usage, 3 the environment is at fault. Of several, the last of these.
int exit_code(const Outcome& outcome);

}  // namespace cudahot::extract_tool
