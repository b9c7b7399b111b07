// What lies beside an open database, watched: its write-ahead log, and the log's index, which SQLite maps into memory.
// Knows nothing of SQLite.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

namespace cudahot::cache {

// Thread safe.
class SideFiles {
 public:
  // `database` is the path as SQLite has resolved it.
  explicit SideFiles(const std::string& database);

  // To be called while the connection has the log open. False once a file that was here at an earlier call is gone or
  // is another one, or the index got shorter than it was. Costs two looks at the folder.
  bool in_place();
  // The same, and takes note of nothing new.
  bool still_in_place();
  // The connection has no log open: what was here is none of its business.
  void forget();

  // Removes what in_place() has seen.
  void remove();

  bool log_exists() const;
  std::int64_t log_bytes() const;  // 0: there is none

 private:
  struct Seen {
    std::string path;
    std::uint64_t device = 0;
    std::uint64_t inode = 0;  // 0: not seen yet
    std::int64_t bytes = 0;
  };
  static bool same(Seen& seen, bool may_shrink, bool take_note);
  std::mutex mutex_;  // guards what is seen, not the paths
  Seen log_;
  Seen index_;
};

}  // namespace cudahot::cache
