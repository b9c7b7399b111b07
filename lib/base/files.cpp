#include "lib/base/files.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace cudahot::base {
namespace {

// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

tl::unexpected<Error> system_failure(std::string_view what, const std::filesystem::path& path, int error) {
  return fail(ErrorCode::environment, fmt::format("cannot {} '{}': {}", what, path.string(), std::strerror(error)));
}

tl::unexpected<Error> read_failure(std::string_view what, const std::filesystem::path& path, int error) {
  auto failure = system_failure(what, path, error);
  if (error == ENOENT || error == ENOTDIR) failure.value().code = ErrorCode::not_found;
  return failure;
}

// A new file beside `path`, for writing. Not mkostemp: that creates 0600, and what the user's umask
// would give can be asked for only by changing it, for all threads of the host program.
Descriptor create_beside(const std::filesystem::path& path, std::string& name) {
  static std::atomic<unsigned> counter{0};
  for (;;) {
    name = fmt::format("{}.{}.{}.new", path.string(), ::getpid(), counter.fetch_add(1));
    Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() >= 0 || errno != EEXIST) return file;
  }
}

}  // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t largest) {
  // Not blocking: opening a FIFO would wait for its writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return read_failure("read", path, errno);
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return read_failure("read", path, errno);
  if (S_ISDIR(info.st_mode)) return read_failure("read", path, EISDIR);
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorCode::environment, fmt::format("cannot read '{}': it is not a regular file", path.string()));
  }
  const auto too_large = [&] {
    return fail(ErrorCode::environment,
                fmt::format("cannot read '{}': it is larger than {} MiB", path.string(), largest >> 20));
  };
  if (static_cast<std::uint64_t>(info.st_size) > largest) return too_large();
  std::string content(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t used = 0;
  for (;;) {
    if (used == content.size()) content.resize(content.size() + 4096);
    const ssize_t count = ::read(file.get(), content.data() + used, content.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return read_failure("read", path, errno);
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > largest) return too_large();
  }
  content.resize(used);
  return content;
}

Status write_file_atomically(const std::filesystem::path& path, std::string_view content) {
  std::string temporary;
  Descriptor file = create_beside(path, temporary);
  if (file.get() < 0) return system_failure("write", path, errno);
  auto abandon = [&](int error) {
    ::unlink(temporary.c_str());
    return system_failure("write", path, error);
  };
  std::size_t written = 0;
  while (written < content.size()) {
    const ssize_t count = ::write(file.get(), content.data() + written, content.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return abandon(errno);
    written += static_cast<std::size_t>(count);
  }
  if (::fsync(file.get()) != 0) return abandon(errno);
  if (::close(file.release()) != 0) return abandon(errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return abandon(errno);
  return {};
}

Result<FileStamp> stamp_file(const std::filesystem::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return read_failure("find", path, errno);
  return FileStamp{info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size),
                   static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec};
}

namespace {

// Ends the last line of `text`.
void add_newline(std::string& text) {
  const std::size_t last = text.find_last_not_of(" \t\v\f");
  if (last != std::string::npos && text[last] == '\\') text.resize(last + 1);
  text += '\n';
}

}  // namespace

std::string normalise_source(std::string_view raw) {
  if (raw.substr(0, 3) == "\xef\xbb\xbf") raw.remove_prefix(3);
  std::string text;
  text.reserve(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\r' && raw[i] != '\n') {
      text += raw[i];
      continue;
    }
    if (raw[i] == '\r' && i + 1 < raw.size() && raw[i + 1] == '\n') ++i;
    add_newline(text);
  }
  return text;
}

Result<TemporaryFolder> TemporaryFolder::create(std::string_view prefix) {
  std::error_code error;
  const auto parent = std::filesystem::temp_directory_path(error);
  if (error) return fail(ErrorCode::environment, fmt::format("no folder for temporary files: {}", error.message()));
  std::string name = (parent / fmt::format("{}.XXXXXX", prefix)).string();
  if (::mkdtemp(name.data()) == nullptr) return system_failure("create", name, errno);
  return TemporaryFolder(name);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

}  // namespace cudahot::base
