#include "cache/healing.hpp"

#include <cerrno>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <fmt/format.h>

#include "cache/schema.hpp"

namespace cudahot::cache {
namespace {

std::filesystem::path kept_as(const std::filesystem::path& cache) { return cache.string() + ".damaged"; }

// What is kept, held by one process at a time: who has it may heal.
class KeptFile {
 public:
  explicit KeptFile(const std::filesystem::path& path) {
    constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    descriptor_ = ::open(path.c_str(), kFlags | O_CREAT | O_EXCL, 0666);
    made_ = descriptor_ >= 0;
    if (descriptor_ < 0 && errno == EEXIST) descriptor_ = ::open(path.c_str(), kFlags);
    if (descriptor_ < 0) error_ = errno;
    // Where the file system has no such locks, healing twice at once loses a few entries and no more.
    else if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) error_ = errno;
  }
  ~KeptFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  KeptFile(const KeptFile&) = delete;
  KeptFile& operator=(const KeptFile&) = delete;

  int error() const { return error_; }
  bool made() const { return made_; }  // it was not there
  bool truncate() { return ::ftruncate(descriptor_, 0) == 0; }
  bool append(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return true;
  }

 private:
  int descriptor_ = -1;
  int error_ = 0;
  bool made_ = false;
};

bool keep(Database& database, KeptFile& kept) {
  constexpr std::size_t kPiece = 1u << 20;
  if (!kept.truncate()) return false;
  for (std::uint64_t offset = 0;; offset += kPiece) {
    const auto piece = database.read_raw(offset, kPiece);
    if (!piece || !kept.append(*piece)) break;
    if (piece->size() < kPiece) return true;
  }
  // Half a copy is of no use, and the room may be what is missing.
  (void)kept.truncate();
  return false;
}

}  // namespace

HealingMark healing_mark(const std::filesystem::path& cache) {
  const auto stamp = base::stamp_file(kept_as(cache));
  return {stamp ? std::optional(*stamp) : std::nullopt};
}

Result<std::optional<std::string>> heal(const std::filesystem::path& cache, const HealingMark& seen,
                                        Database::Sharing sharing) {
  auto database = Database::open(cache, Database::Access::raw, sharing);
  if (!database) return fail(database.error());
  const auto read = database->header();
  if (!read) return fail(read.error());
  const auto& header = *read;
  if (!header || header->application_id != kApplicationId) {
    return fail(ErrorCode::environment,
                fmt::format("'{}' is damaged and does not say that it is a cudahot cache: it is left as it is; delete "
                            "it, or name another file with CUDAHOT_CACHE",
                            cache.string()));
  }
  if (!header->gives_pages_back) return fail(is_a_bundle(cache));
  const auto kept_path = kept_as(cache);
  KeptFile kept(kept_path);
  if (kept.error() == EWOULDBLOCK) {
    return fail(ErrorCode::busy, fmt::format("'{}' is damaged, and another process starts it anew", cache.string()));
  }
  if (kept.error() != 0) {
    return fail(ErrorCode::environment,
                fmt::format("'{}' is damaged and cannot be started anew, since '{}' cannot be written: {}; delete "
                            "both, or name another file with CUDAHOT_CACHE",
                            cache.string(), kept_path.string(), std::generic_category().message(kept.error())));
  }
  const bool nobody_since = seen.kept ? healing_mark(cache) == seen : kept.made();
  if (!nobody_since) return std::nullopt;
  const bool is_kept = keep(*database, kept);
  if (const auto done = database->start_anew(); !done) return fail(done.error());
  return fmt::format("'{}' was damaged and was started anew{}", cache.string(),
                     is_kept ? fmt::format("; what it was is kept as '{}'", kept_path.string()) : "");
}

}  // namespace cudahot::cache
