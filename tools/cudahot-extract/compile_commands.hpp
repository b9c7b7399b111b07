// compile_commands.json, as CMake, Bazel's extractors and others write it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cudahot/result.hpp"

namespace cudahot::extract_tool {

inline constexpr const char* kDatabaseName = "compile_commands.json";

struct FileFlags {
  std::vector<std::string> flags;
  std::filesystem::path working_directory;
  std::size_t entries = 1;  // of the file, of which this is the first
};

// What `folder`/compile_commands.json says of `file`: without the compiler, the file and its output. Of several
// entries, as of a file in several targets, the first. Errors: usage (no such database, not one, or without the file).
Result<FileFlags> flags_from_database(const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace cudahot::extract_tool
