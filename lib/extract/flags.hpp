// Compiler flags of a build, sorted by who needs them. Knows nvcc's spellings and Clang's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/sm_arch.hpp"

namespace cudahot::extract {

// Architectures that the flags ask for: some by name, some for who knows the machine and the toolkit to find out.
struct WantedArchitectures {
  std::vector<region::SmArch> named;  // in order, without duplicates
  std::vector<std::string> open;      // "native", "all", "all-major"

  friend bool operator==(const WantedArchitectures&, const WantedArchitectures&) = default;
};

struct FlagPlan {
  std::vector<std::string> clang;            // for parsing
  std::vector<std::string> nvrtc;            // for compiling the device view
  std::vector<std::string> ignored;          // without a meaning here, values attached with '='
  std::vector<std::string> stray;            // words that are neither flags nor values of known ones
  std::vector<std::string> words;            // the flags again, files expanded and stray words left out
  std::vector<std::filesystem::path> files;  // options files that were read, absolute
  WantedArchitectures architectures;
  bool for_clang = false;        // the flags are Clang's, not nvcc's
  bool paths_in_output = false;  // -lineinfo or -G: names of files reach the result
};

// Options files are read relative to `working_directory` and expanded in place.
// Errors: usage (an options file that cannot be read, a flag without its value, a malformed architecture).
Result<FlagPlan> plan_flags(const std::vector<std::string>& flags, const std::filesystem::path& working_directory);

// As --arch takes it: names, "native", "all" and "all-major", with ',' or ';' between them. Errors: usage.
Result<WantedArchitectures> parse_wanted_architectures(std::string_view list);

// Whether these are flags of Clang's: nvcc's environment variables do not apply then.
bool are_for_clang(const std::vector<std::string>& flags);

}  // namespace cudahot::extract
