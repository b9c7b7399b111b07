#include "tools/cudahot-extract/staged_files.hpp"

#include <fmt/format.h>

#include "lib/base/files.hpp"
#include "lib/base/temporary_names.hpp"

namespace cudahot::extract_tool {

namespace fs = std::filesystem;

StagedFiles::~StagedFiles() {
  std::error_code ignored;
  for (const Staged& each : staged_) fs::remove(each.temporary, ignored);
}

Status StagedFiles::add(const fs::path& file, std::string_view content) {
  const auto temporary = reserve(file);
  if (!temporary) return fail(temporary.error());
  return base::write_file_atomically(*temporary, content);
}

Result<fs::path> StagedFiles::reserve(const fs::path& file) {
  std::error_code ignored;
  const auto status = fs::status(file, ignored);
  if (fs::is_directory(status)) {  // the one reason why only the renaming would fail
    return fail(ErrorCode::environment, fmt::format("cannot write '{}': it is a folder", file.string()));
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {  // the renaming would put a file in its place
    return fail(ErrorCode::environment, fmt::format("cannot write '{}': it is no regular file", file.string()));
  }
  staged_.push_back({base::temporary_name(file), file});
  return staged_.back().temporary;
}

Status StagedFiles::publish() {
  for (const Staged& each : staged_) {
    std::error_code error;
    fs::rename(each.temporary, each.file, error);
    if (error) {
      return fail(ErrorCode::environment, fmt::format("cannot write '{}': {}", each.file.string(), error.message()));
    }
  }
  staged_.clear();
  return {};
}

}  // namespace cudahot::extract_tool
