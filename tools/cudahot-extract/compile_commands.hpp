// compile_commands.json, as CMake, Bazel's extractors and others write it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cudahot/result.hpp"

namespace cudahot::extract_tool {

inline constexpr const char* kDatabaseName = "compile_commands.json";

struct FileFlags {
  std::vector<std::string> flags;
  std::filesystem::path working_directory;
};

// What `folder`/compile_commands.json says of `file`: without the compiler, the file and its output. Of several
// entries the first. Errors: usage (no such database, not one, or without the file).
Result<FileFlags> flags_from_database(const std::filesystem::path& folder, const std::filesystem::path& file);

}  // namespace cudahot::extract_tool
