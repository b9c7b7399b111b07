// The owner of a sqlite3 handle, and what SQLite's result codes mean: for sqlite.cpp alone.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>

#include <sys/types.h>

#include <sqlite3.h>

#include "cache/file_header.hpp"
#include "cache/side_files.hpp"
#include "cache/sqlite.hpp"
#include "cudahot/result.hpp"
#include "lib/base/files.hpp"

namespace cudahot::cache {

class Connection {
 public:
  // Of a handle that was opened and has not read yet.
  Connection(sqlite3* handle, std::filesystem::path file, Database::Sharing sharing);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  sqlite3* handle() const { return handle_; }
  const std::filesystem::path& file() const { return file_; }
  std::chrono::milliseconds wait() const { return wait_; }
  void wait_for_locks(std::chrono::milliseconds longest);

  bool inherited() const;
  Database::Hold hold();
  // Of this process's connections to the file. They share what they map, and what they know of its locks. So another
  // one would fall into the hole where one of them has an index that was taken away or cut, and would believe in locks
  // that only the parent process has.
  static Database::Hold worst(const std::filesystem::path& file);

  sqlite3_file* main_file() const;
  // The header is not that of the file whose header was seen at an earlier call.
  bool overwritten();
  // The log is shorter than its index in shared memory says.
  bool log_is_cut();
  // The next read would open a write-ahead log.
  bool wants_log() const;

 private:
  // The write-ahead log's file while that is open, else that of the rollback journal.
  sqlite3_file* journal() const;

  sqlite3* handle_;
  std::filesystem::path file_;
  Database::Sharing sharing_;
  Result<base::FileStamp> stamp_;
  SideFiles side_files_;
  std::optional<FileHeader> header_;  // as it was seen last; nullopt: not yet
  sqlite3_file* rollback_journal_;    // as it is before the first read, which may open a log
  std::chrono::milliseconds wait_{0};
  pid_t process_;
};

tl::unexpected<Error> failure(const std::filesystem::path& file, int rc, std::string_view detail);
tl::unexpected<Error> failure(Connection& connection, int rc);
// Of a statement that does not fit the tables: each of ours fits those that we make.
tl::unexpected<Error> statement_failure(Connection& connection, int rc);
tl::unexpected<Error> inherited_failure(const std::filesystem::path& file);

}  // namespace cudahot::cache
