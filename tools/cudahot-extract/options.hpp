// The command line of cudahot-extract.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/extract/flags.hpp"
#include "lib/region/tier.hpp"

namespace cudahot::extract_tool {

struct Options {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> flags;  // after "--"
  std::optional<extract::WantedArchitectures> architectures;
  std::vector<region::Tier> tiers = {region::Tier::full};
  std::optional<std::filesystem::path> bundle;
  std::optional<std::filesystem::path> cache;
  std::optional<std::filesystem::path> toolkit;
  std::optional<std::filesystem::path> resource_dir;
  std::optional<std::filesystem::path> compile_commands_folder;
  std::optional<std::filesystem::path> slice_folder;
  std::optional<std::filesystem::path> depfile;
  std::optional<std::filesystem::path> sarif;
  bool nvcc_variables = true;  // NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS count
  bool allow_no_region = false;
  bool list = false;
  bool check = false;
  bool json = false;
  bool verbose = false;
  unsigned jobs = 1;

  // Whether CUBINs are wanted: always, but for --list and a plain --emit-slice.
  bool compiles() const { return bundle || cache || check || (!list && !slice_folder); }
};

// Whether this is a slice, of an earlier run with --emit-slice.
bool is_slice_file(const std::filesystem::path& file);

struct CommandLine {
  std::optional<Options> options;
  std::string help;  // what to print instead, for --help and --version
};

// Errors: usage.
Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace cudahot::extract_tool
