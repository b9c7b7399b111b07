#include "cache/side_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

namespace cudahot::cache {

SideFiles::SideFiles(const std::string& database) {
  log_.path = database + "-wal";
  index_.path = database + "-shm";
}

bool SideFiles::in_place() {
  const std::lock_guard lock(mutex_);
  return same(log_, true, true) && same(index_, false, true);
}

bool SideFiles::still_in_place() {
  const std::lock_guard lock(mutex_);
  return same(log_, true, false) && same(index_, false, false);
}

void SideFiles::forget() {
  const std::lock_guard lock(mutex_);
  log_.inode = index_.inode = 0;
}

void SideFiles::remove() {
  const std::lock_guard lock(mutex_);
  for (Seen* seen : {&log_, &index_}) {
    if (seen->inode != 0) ::unlink(seen->path.c_str());
  }
}

bool SideFiles::log_exists() const { return ::access(log_.path.c_str(), F_OK) == 0; }

std::int64_t SideFiles::log_bytes() const {
  struct stat now{};
  return ::stat(log_.path.c_str(), &now) == 0 ? now.st_size : 0;
}

bool SideFiles::same(Seen& seen, bool may_shrink, bool take_note) {
  struct stat now{};
  const bool exists = ::stat(seen.path.c_str(), &now) == 0;
  if (seen.inode != 0) {
    const bool same_file = exists && seen.device == now.st_dev && seen.inode == now.st_ino;
    if (!same_file || (!may_shrink && now.st_size < seen.bytes)) return false;
  }
  if (exists && take_note) {
    seen.device = now.st_dev;
    seen.inode = now.st_ino;
    seen.bytes = now.st_size;
  }
  return true;
}

}  // namespace cudahot::cache
