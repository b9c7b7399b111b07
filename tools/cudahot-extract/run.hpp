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
#include "tools/cudahot-extract/progress.hpp"

namespace cudahot::extract_tool {

struct CubinOutcome {
  region::SmArch arch;
  region::Tier tier = region::Tier::full;
  Result<build::BuiltCubin> built;
};

struct FileOutcome {
  std::filesystem::path file;  // as named on the command line; of a slice, what it was made of
  extract::ExtractReport report;
  std::optional<Error> error;  // the extraction could not be done at all
  std::vector<CubinOutcome> cubins;
  std::vector<region::SmArch> architectures;  // to compile for
};

struct Outcome {
  std::vector<FileOutcome> files;
  std::optional<Error> error;  // of the run as a whole; files may be empty
  bool allows_no_region = false;
};

// Writes the outputs that `options` ask for when everything before succeeded, and none of them otherwise; only a cache
// has by then what could be compiled.
Outcome run(const Options& options, const LogCallback& log, Progress& progress);

// 0 done, 1 the source is at fault, 2 usage, 3 the environment is at fault. Of several, the last of these.
int exit_code(const Outcome& outcome);

}  // namespace cudahot::extract_tool
