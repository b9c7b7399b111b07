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
  return same(log_, true) && same(index_, false);
}

bool SideFiles::log_exists() const { return ::access(log_.path.c_str(), F_OK) == 0; }

bool SideFiles::same(Seen& seen, bool may_shrink) {
  struct stat now{};
  if (::stat(seen.path.c_str(), &now) != 0) return seen.inode == 0;
  const bool same_file = seen.device == now.st_dev && seen.inode == now.st_ino;
  if (seen.inode != 0 && (!same_file || (!may_shrink && now.st_size < seen.bytes))) return false;
  seen.device = now.st_dev;
  seen.inode = now.st_ino;
  seen.bytes = now.st_size;
  return true;
}

}  // namespace cudahot::cache
