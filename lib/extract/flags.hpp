// Compiler flags of a build, sorted by who needs them. Knows nvcc's spellings and Clang's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/sm_arch.hpp"

namespace cudahot::extract {

struct FlagPlan {
  std::vector<std::string> clang;             // for parsing
  std::vector<std::string> nvrtc;             // for compiling the device view
  std::vector<std::string> ignored;           // without a meaning here, values attached with '='
  std::vector<region::SmArch> architectures;  // named by the flags, in order, without duplicates
  bool paths_in_output = false;               // -lineinfo or -G: names of files reach the result
};

// Options files are read relative to `working_directory` and expanded in place.
// Errors: usage (an options file that cannot be read, a malformed architecture).
Result<FlagPlan> plan_flags(const std::vector<std::string>& flags, const std::filesystem::path& working_directory);

}  // namespace cudahot::extract
