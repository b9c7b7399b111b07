#include "lib/base/files.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "lib/base/temporary_names.hpp"

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
  for (;;) {
    name = temporary_name(path).string();
    Descriptor file(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() >= 0 || errno != EEXIST) return file;
  }
}

// The locked folder; -1 when somebody else holds the lock, or when it is gone. The system takes the lock from a process
// that ends, however it ends.
Descriptor lock_folder(const std::filesystem::path& path) {
  Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat named{};
  struct stat locked{};
  const bool held = folder.get() >= 0 && ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 &&
                    ::stat(path.c_str(), &named) == 0 && ::fstat(folder.get(), &locked) == 0 &&
                    named.st_ino == locked.st_ino && named.st_uid == ::geteuid();
  return held ? std::move(folder) : Descriptor(-1);
}

constexpr std::string_view kRandom = "XXXXXX";  // mkdtemp replaces it

// Whose maker is another version, or has no locks, is left alone as long as it may still be in use.
bool is_old(const std::filesystem::path& folder) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(folder, error);
  return !error && written < std::filesystem::file_time_type::clock::now() - std::chrono::hours(24);
}

void remove_abandoned(const std::filesystem::path& parent, std::string_view prefix) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(parent, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + kRandom.size() || !is_old(entry->path())) continue;
    const Descriptor lock = lock_folder(entry->path());
    std::error_code ignored;
    if (lock.get() >= 0) std::filesystem::remove_all(entry->path(), ignored);
  }
}

// False: errno says why.
bool write_all(const Descriptor& file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t count = ::write(file.get(), content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
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
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.get() < 0 || !write_all(file, content)) return system_failure("write", path, errno);
    return {};
  }
  std::string temporary;
  Descriptor file = create_beside(path, temporary);
  if (file.get() < 0) return system_failure("write", path, errno);
  auto abandon = [&](int error) {
    ::unlink(temporary.c_str());
    return system_failure("write", path, error);
  };
  if (!write_all(file, content)) return abandon(errno);
  if (::fsync(file.get()) != 0) return abandon(errno);
  if (::close(file.release()) != 0) return abandon(errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) return abandon(errno);
  return {};
}

Result<FileStamp> stamp_file(const std::filesystem::path& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return read_failure("find", path, errno);
  return FileStamp{info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size),
                   static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1'000'000'000 + info.st_mtim.tv_nsec,
                   static_cast<std::int64_t>(info.st_ctim.tv_sec) * 1'000'000'000 + info.st_ctim.tv_nsec};
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
  const std::string begin = fmt::format("{}.", prefix);
  remove_abandoned(parent, begin);
  for (int attempt = 1;; ++attempt) {
    std::string name = (parent / (begin + std::string(kRandom))).string();
    if (::mkdtemp(name.data()) == nullptr) return system_failure("create", name, errno);
    Descriptor lock = lock_folder(name);
    // Where folders have no locks none is ever taken for abandoned.
    constexpr int kMostAttempts = 3;
    if (lock.get() >= 0 || attempt == kMostAttempts) return TemporaryFolder(name, lock.release());
    // In the moment before it was locked it looked abandoned to another process.
    std::filesystem::remove_all(name, error);
  }
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  if (lock_ >= 0) ::close(lock_);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

}  // namespace cudahot::base
