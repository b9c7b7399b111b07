// Files that appear together.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cudahot/result.hpp"

namespace cudahot::extract_tool {

// Written beside where they are to be, and renamed once all are complete: a failure before that leaves what was there.
class StagedFiles {
 public:
  StagedFiles() = default;
  ~StagedFiles();  // removes what was not published
  StagedFiles(const StagedFiles&) = delete;
  StagedFiles& operator=(const StagedFiles&) = delete;

  // Errors of all: environment.
  Status add(const std::filesystem::path& file, std::string_view content);
  // The path under which the caller writes `file` itself.
  Result<std::filesystem::path> reserve(const std::filesystem::path& file);
  Status publish();

 private:
  struct Staged {
    std::filesystem::path temporary;
    std::filesystem::path file;
  };
  std::vector<Staged> staged_;
};

}  // namespace cudahot::extract_tool
