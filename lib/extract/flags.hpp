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
  // Code for one architecture, of the text as another sees it: "-gencode arch=compute_80,code=sm_86".
  struct Crossed {
    region::SmArch text;
    region::SmArch code;

    friend bool operator==(const Crossed&, const Crossed&) = default;
  };

  std::vector<region::SmArch> named;  // in order, without duplicates
  std::vector<std::string> open;      // "native", "all", "all-major"
  std::vector<Crossed> crossed;

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

// What nvcc puts around the flags of its command line: NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS.
struct NvccVariables {
  std::vector<std::string> before;
  std::vector<std::string> after;
};

// Options files are read relative to `working_directory` and expanded in place. `variables` do not apply to flags of
// Clang's. Errors: usage (an options file that cannot be read, a flag without its value, a malformed architecture).
Result<FlagPlan> plan_flags(const std::vector<std::string>& flags, const std::filesystem::path& working_directory,
                            const NvccVariables& variables = {});

// As --arch takes it: names, "native", "all" and "all-major", with ',' or ';' between them. Errors: usage.
Result<WantedArchitectures> parse_wanted_architectures(std::string_view list);

}  // namespace cudahot::extract
