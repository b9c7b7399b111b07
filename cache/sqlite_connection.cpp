#include "cache/sqlite_connection.hpp"

#include <cstdint>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include <unistd.h>

#include <fmt/format.h>

namespace cudahot::cache {
namespace {

struct Trouble {
  ErrorCode code;
  std::string_view advice;
};

// What a result code means to the user, and what to do about it.
Trouble classify(int rc) {
  if (rc == SQLITE_CONSTRAINT_TRIGGER) return {ErrorCode::internal, "its tables have a trigger, which is none of ours"};
  // Of a log that was cut a moment ago: at the end of the file itself SQLite reads zeros.
  if (rc == SQLITE_IOERR_SHORT_READ) return {ErrorCode::busy, "it is opened anew the next time"};
  if (rc == SQLITE_READONLY_DBMOVED) return {ErrorCode::busy, "it is opened anew the next time"};
  switch (rc & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:  // others were faster, again and again
    case SQLITE_INTERRUPT:
    case SQLITE_ABORT:
      return {ErrorCode::busy, "another process holds it; it is tried again later"};
    case SQLITE_CORRUPT:
    case SQLITE_CONSTRAINT:  // no statement of ours breaks one
      return {ErrorCode::damaged,
              "delete it; it is made anew when it is a cache, by the next build when it is a bundle"};
    case SQLITE_NOTADB:
      return {ErrorCode::environment, "it is not a cudahot cache or bundle; name another file"};
    case SQLITE_FULL:
      return {ErrorCode::environment, "make room on the disk, or name a place with CUDAHOT_CACHE"};
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {ErrorCode::environment,
              "check its permissions and those of its folder, or name a place with CUDAHOT_CACHE"};
    case SQLITE_IOERR:
      return {ErrorCode::environment, "check the disk, or name a place with CUDAHOT_CACHE"};
    case SQLITE_NOMEM:
      return {ErrorCode::environment, "free some memory"};
    default:
      return {ErrorCode::internal, "this is a fault of cudahot; please report it"};
  }
}

// All of this process.
struct Connections {
  std::mutex mutex;  // guards what follows
  std::vector<Connection*> list;
};

// Never destroyed: static objects of the program may have connections until its end.
Connections& connections() {
  static auto* const all = new Connections;
  return *all;
}

// SQLite says of both that they are no database: a file of another kind, and one that it has made and cannot read.
bool begins_as_database(const Connection& connection) {
  constexpr std::string_view kMagic{"SQLite format 3", 16};
  char begin[kMagic.size()] = {};
  sqlite3_file* opened = connection.main_file();
  return opened->pMethods->xRead(opened, begin, sizeof begin, 0) == SQLITE_OK &&
         std::string_view(begin, sizeof begin) == kMagic;
}

}  // namespace

Connection::Connection(sqlite3* handle, std::filesystem::path file, Database::Sharing sharing)
    : handle_(handle),
      file_(std::move(file)),
      sharing_(sharing),
      stamp_(base::stamp_file(sqlite3_db_filename(handle, "main"))),
      side_files_(sqlite3_db_filename(handle, "main")),
      rollback_journal_(journal()),
      process_(::getpid()) {
  const std::lock_guard lock(connections().mutex);
  connections().list.push_back(this);
}

Connection::~Connection() {
  {
    const std::lock_guard lock(connections().mutex);
    std::erase(connections().list, this);
  }
  // Its locks are those of the parent process: what closing does, it would do without any.
  if (inherited()) return;
  // The log is not that of the file any more: moving its content there would damage the file. And what is mapped of
  // the log's index may be gone.
  const Database::Hold held = hold();
  if (held != Database::Hold::usable) sqlite3_db_config(handle_, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
  sqlite3_close_v2(handle_);
  if (held == Database::Hold::overwritten) side_files_.remove();
}

void Connection::wait_for_locks(std::chrono::milliseconds longest) {
  wait_ = longest;
  sqlite3_busy_timeout(handle_, static_cast<int>(longest.count()));
}

bool Connection::inherited() const { return ::getpid() != process_; }

Database::Hold Connection::hold() {
  if (inherited()) return Database::Hold::inherited;
  int moved = 0;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (moved != 0) return Database::Hold::stale;
  if (journal() == rollback_journal_) side_files_.forget();
  else if (!side_files_.in_place()) return Database::Hold::stale;
  if (overwritten() || log_is_cut()) return Database::Hold::overwritten;
  return sharing_ == Database::Sharing::locks_only && wants_log() ? Database::Hold::stale : Database::Hold::usable;
}

// By another program, in the same file: SQLite does not look at the file as long as its log has what is asked for.
bool Connection::overwritten() {
  char begin[kHeaderBytes] = {};
  sqlite3_file* opened = main_file();
  const int rc = opened->pMethods->xRead(opened, begin, sizeof begin, 0);
  if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ) return false;
  const auto now = parse_header({begin, sizeof begin});
  if (header_) {
    const bool another = now && now->identity != 0 && header_->identity != 0 && now->identity != header_->identity;
    if (!now || another || now->changes < header_->changes) return true;
  }
  header_ = now;
  return false;
}

// SQLite believes the index, and would put holes into the file.
bool Connection::log_is_cut() {
  constexpr int kRegionBytes = 32 << 10;
  constexpr std::int64_t kLogHeader = 32;
  constexpr std::int64_t kFrameHeader = 24;
  if (sharing_ != Database::Sharing::memory || journal() == rollback_journal_) return false;
  sqlite3_file* opened = main_file();
  volatile void* mapped = nullptr;
  if (opened->pMethods->xShmMap(opened, 0, kRegionBytes, 0, &mapped) != SQLITE_OK || mapped == nullptr) return false;
  // The index's own header, in the machine's byte order: https://www.sqlite.org/walformat.html
  struct IndexHeader {
    std::uint32_t version, unused, changes;
    std::uint8_t is_made, big_endian_checksums;
    std::uint16_t page_bytes;
    std::uint32_t frames, pages, checksum[2], salt[2], own_checksum[2];
    bool operator==(const IndexHeader&) const = default;
  };
  static_assert(sizeof(IndexHeader) == 48);
  const auto read = [mapped] {
    IndexHeader header{};
    std::memcpy(&header, const_cast<const void*>(mapped), sizeof header);
    return header;
  };
  // Who empties the log says so in the index first.
  const IndexHeader header = read();
  const std::int64_t bytes = side_files_.log_bytes();
  if (header.is_made == 0 || header.frames == 0 || header != read()) return false;
  const std::int64_t page = (header.page_bytes & 0xfe00) + ((header.page_bytes & 1) << 16);
  return bytes < kLogHeader + header.frames * (page + kFrameHeader);
}

Database::Hold Connection::worst(const std::filesystem::path& file) {
  const auto now = base::stamp_file(file);
  const std::lock_guard lock(connections().mutex);
  for (Connection* other : connections().list) {
    const auto& then = other->stamp_;
    if (!now || !then || then->device != now->device || then->inode != now->inode) continue;
    if (other->inherited()) return Database::Hold::inherited;
    if (!other->side_files_.still_in_place()) return Database::Hold::stale;
  }
  return Database::Hold::usable;
}

sqlite3_file* Connection::main_file() const {
  sqlite3_file* opened = nullptr;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, &opened);
  return opened;
}

bool Connection::wants_log() const {
  constexpr sqlite3_int64 kReadVersion = 19;  // in the header: 2 means such a log
  char version = 0;
  sqlite3_file* opened = main_file();
  return side_files_.log_exists() ||
         (opened->pMethods->xRead(opened, &version, 1, kReadVersion) == SQLITE_OK && version == 2);
}

sqlite3_file* Connection::journal() const {
  sqlite3_file* opened = nullptr;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_JOURNAL_POINTER, &opened);
  return opened;
}

tl::unexpected<Error> failure(const std::filesystem::path& file, int rc, std::string_view detail) {
  const Trouble trouble = classify(rc);
  return fail(trouble.code, fmt::format("cannot use '{}': {}; {}", file.string(), detail, trouble.advice));
}

tl::unexpected<Error> failure(Connection& connection, int rc) {
  if (connection.log_is_cut()) {
    return fail(ErrorCode::busy, fmt::format("cannot use '{}': its log ('-wal') was cut; it is tried again later",
                                             connection.file().string()));
  }
  if ((rc & 0xff) == SQLITE_NOTADB && begins_as_database(connection)) {
    return failure(connection.file(), SQLITE_CORRUPT, sqlite3_errstr(SQLITE_CORRUPT));
  }
  return failure(connection.file(), rc, sqlite3_errmsg(connection.handle()));
}

tl::unexpected<Error> statement_failure(Connection& connection, int rc) {
  if (rc != SQLITE_ERROR) return failure(connection, rc);
  return failure(connection.file(), SQLITE_CORRUPT, sqlite3_errmsg(connection.handle()));
}

tl::unexpected<Error> inherited_failure(const std::filesystem::path& file) {
  return fail(ErrorCode::environment,
              fmt::format("cannot use '{}': it was open when this process was forked off, and only the process that "
                          "opened it can use it",
                          file.string()));
}

}  // namespace cudahot::cache
