// Files: whole reads, atomic writes, identity stamps.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "cudahot/result.hpp"

namespace cudahot::base {

inline constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 30;

// Reads a whole regular file; never waits for a writer (of a FIFO), and never takes more memory
// than `largest` bytes. Errors: not_found (does not exist), environment (any other reason, named).
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t largest = kLargestFile);

// Writes to a temporary file beside `path`, syncs, renames over it: readers see the old or the
// new content, never a part. On failure nothing is left. A device, a pipe or a link to one stays what it is: it is
// written to. Errors: environment.
Status write_file_atomically(const std::filesystem::path& path, std::string_view content);

// What tells one version of a file from another without reading it.
struct FileStamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // which, unlike `modified_ns`, no program sets back

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};
// Errors: as read_file.
Result<FileStamp> stamp_file(const std::filesystem::path& path);

// A source text as cudahot works on it: a leading UTF-8 byte-order mark removed, CRLF and lone
// CR made LF, white space between a backslash and the end of its line removed (gcc and Clang join such
// a line with the next one all the same, NVRTC does not). Offsets and digests of source text always
// refer to the normalised text.
std::string normalise_source(std::string_view raw);

// A folder that is removed, with what it holds, on destruction. What a process that was killed has left is removed by
// the first create() with its prefix that comes a day later.
class TemporaryFolder {
 public:
  static Result<TemporaryFolder> create(std::string_view prefix);
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  TemporaryFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::filesystem::path path_;
  int lock_ = -1;  // of the folder, held as long as it is in use
};

}  // namespace cudahot::base
