// Compiler flags of the files: from a compilation database, and the architectures they name.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/sm_arch.hpp"

namespace cudahot::extract_tool {

struct FileFlags {
  std::vector<std::string> flags;
  std::filesystem::path working_directory;
};

// What `folder`/compile_commands.json says of `file`: without the compiler, the file and its output.
// Errors: usage (no such database, not one, or without the file).
Result<FileFlags> flags_from_database(const std::filesystem::path& folder, const std::filesystem::path& file);

// The real architectures that -arch, -gencode and their long forms name, in order; empty when they name none.
std::vector<region::SmArch> architectures_in(const std::vector<std::string>& flags);

// Words of a command as a POSIX shell splits them.
std::vector<std::string> split_command(std::string_view command);

}  // namespace cudahot::extract_tool
