#include "cache/bundle_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

namespace cudahot::cache {
namespace {

tl::unexpected<Error> unreadable(const std::filesystem::path& path, int error) {
  return fail(
      error == ENOENT || error == ENOTDIR ? ErrorCode::not_found : ErrorCode::environment,
      fmt::format("cannot read '{}': {}", path.string(), std::error_code(error, std::generic_category()).message()));
}

}  // namespace

Result<BundleFile> BundleFile::open(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // opening a pipe would wait
  if (descriptor < 0) return unreadable(path, errno);
  BundleFile file(path, descriptor);
  struct stat status{};
  if (::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode)) return file;
  return fail(ErrorCode::environment, fmt::format("'{}' is no file", path.string()));
}

BundleFile::~BundleFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

BundleFile::BundleFile(BundleFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

std::uint64_t BundleFile::size() const {
  struct stat status{};
  return ::fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

bool BundleFile::is_in_place() const {
  struct stat opened{};
  struct stat named{};
  return ::fstat(descriptor_, &opened) == 0 && ::stat(path_.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

Result<std::string> BundleFile::read(std::uint64_t offset, std::uint64_t size) const {
  const auto cut = [this] { return fail(ErrorCode::damaged, fmt::format("'{}' was cut", path_.string())); };
  const std::uint64_t all = this->size();
  if (offset > all || size > all - offset) return cut();
  std::string bytes(static_cast<std::size_t>(size), '\0');
  for (std::size_t done = 0; done < bytes.size();) {
    const ::ssize_t count =
        ::pread(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<::off_t>(offset + done));
    if (count == 0) return cut();
    if (count < 0 && errno != EINTR) return unreadable(path_, errno);
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return bytes;
}

}  // namespace cudahot::cache
