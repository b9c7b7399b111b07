// compile_commands.json, as CMake, Bazel's extractors and others write it.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "cudahot/result.hpp"

namespace cudahot::extract_tool {

struct FileFlags {
  std::vector<std::string> flags;  // what follows the compiler, without the file
  std::filesystem::path working_directory;
  std::size_t entries = 1;  // of the file, of which this is the first
};

class CompilationDatabase {
 public:
  // `folder`/compile_commands.json. Errors: usage (no such file, or it is no database).
  static Result<CompilationDatabase> read(const std::filesystem::path& folder);

  // Of several entries, as of a file in several targets, the first. Errors: usage (no entry).
  Result<FileFlags> flags_of(const std::filesystem::path& file) const;

  const std::filesystem::path& path() const { return path_; }  // absolute

 private:
  struct Entry {
    std::vector<std::string> words;
    std::filesystem::path directory;
    std::size_t count = 1;
  };

  std::filesystem::path path_;
  std::map<std::filesystem::path, Entry> entries_;  // by resolved path
};

}  // namespace cudahot::extract_tool
