#include "cache/sqlite.hpp"

#include <algorithm>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "cache/sqlite_connection.hpp"

namespace cudahot::cache {

namespace {

// A file name as SQLite's URI parser reads it back byte for byte.
std::string to_uri(const std::filesystem::path& file, bool immutable) {
  std::string uri = "file://";
  for (const char c : file.native()) {
    if (c == '%' || c == '?' || c == '#') uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else uri += c;
  }
  if (immutable) uri += "?immutable=1";
  return uri;
}

int length(std::string_view bytes) { return static_cast<int>(bytes.size()); }

}  // namespace

Result<Database> Database::open(const std::filesystem::path& file, Access access, Sharing sharing,
                                std::chrono::milliseconds wait) {
  std::error_code error;
  const auto path = std::filesystem::absolute(file, error);
  if (error) return fail(ErrorCode::environment, fmt::format("cannot use '{}': {}", file.string(), error.message()));
  const auto status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) {
    if (access != Access::create) return fail(ErrorCode::not_found, fmt::format("'{}' does not exist", file.string()));
  } else if (error) {
    return fail(ErrorCode::environment, fmt::format("cannot use '{}': {}; check the permissions of its folder",
                                                    file.string(), error.message()));
  } else if (std::filesystem::is_directory(status)) {
    return fail(ErrorCode::environment, fmt::format("cannot use '{}': it is a folder; name a file", file.string()));
  } else if (!std::filesystem::is_regular_file(status)) {
    // SQLite takes a device for an empty database, and would wait for who reads a pipe.
    return fail(ErrorCode::environment,
                fmt::format("cannot use '{}': it is a device, a pipe or a socket; name a file", file.string()));
  } else if (std::filesystem::file_size(path, error) == 1) {  // which SQLite takes for none, and writes over it
    return failure(file, SQLITE_NOTADB, sqlite3_errstr(SQLITE_NOTADB));
  }

  if (access != Access::immutable) {
    switch (Connection::worst(path)) {
      case Hold::usable:
        break;
      case Hold::stale:
      case Hold::overwritten:
        return fail(ErrorCode::busy,
                    fmt::format("cannot use '{}': something was removed or cut beside it, and another connection of "
                                "this process has not noticed yet; it is tried again later",
                                file.string()));
      case Hold::inherited:
        return inherited_failure(file);
    }
  }

  int flags = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (access == Access::immutable) flags |= SQLITE_OPEN_READONLY;
  // A read-only connection to a WAL database leaves its -wal and -shm files behind; a writing one
  // that is only asked queries removes them when it closes.
  else flags |= SQLITE_OPEN_READWRITE;
  if (access == Access::create) flags |= SQLITE_OPEN_CREATE;

  sqlite3* handle = nullptr;
  const int rc = sqlite3_open_v2(to_uri(path, access == Access::immutable).c_str(), &handle, flags, nullptr);
  if (rc != SQLITE_OK) {
    auto refused = failure(file, rc, handle != nullptr ? sqlite3_errmsg(handle) : sqlite3_errstr(rc));
    sqlite3_close_v2(handle);
    return refused;
  }
  Database database(std::make_shared<Connection>(handle, file, sharing));

  // A database may come from anywhere: its schema must not be able to run functions of ours.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  database.wait_for_locks(wait);
  if (sharing == Sharing::locks_only && access != Access::immutable) {
    const auto done =
        access == Access::raw ? database.execute("PRAGMA locking_mode = EXCLUSIVE") : database.leave_wal();
    if (!done) return fail(done.error());
  }
  if (access == Access::inspect) {
    if (const auto done = database.execute("PRAGMA query_only = ON"); !done) return fail(done.error());
  } else if (access == Access::read_write && sharing == Sharing::memory) {
    // Enough under WAL: a power cut may lose the last entries, never the database.
    if (const auto done = database.execute("PRAGMA synchronous = NORMAL"); !done) return fail(done.error());
  }
  return database;
}

Result<Database> Database::from_bytes(const std::filesystem::path& file, std::string_view bytes) {
  sqlite3* handle = nullptr;
  int rc = sqlite3_open_v2(":memory:", &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
                           nullptr);
  auto* const copy = rc == SQLITE_OK ? static_cast<unsigned char*>(sqlite3_malloc64(bytes.size())) : nullptr;
  if (rc == SQLITE_OK && copy == nullptr) rc = SQLITE_NOMEM;
  if (rc == SQLITE_OK) {
    std::copy(bytes.begin(), bytes.end(), copy);
    const auto size = static_cast<sqlite3_int64>(bytes.size());
    // The copy is SQLite's from here on, also when it fails.
    rc = sqlite3_deserialize(handle, "main", copy, size, size,
                             SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY);
  }
  if (rc != SQLITE_OK) {
    auto refused = failure(file, rc, sqlite3_errstr(rc));
    sqlite3_close_v2(handle);
    return refused;
  }
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return Database(std::make_shared<Connection>(handle, file, Sharing::memory));
}

void Database::wait_for_locks(std::chrono::milliseconds longest) { connection_->wait_for_locks(longest); }

Database::Hold Database::hold() { return connection_->hold(); }

tl::unexpected<Error> Database::inherited_error() const { return inherited_failure(file()); }

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* handle = nullptr;
  const int rc =
      sqlite3_prepare_v3(connection_->handle(), sql.data(), length(sql), SQLITE_PREPARE_PERSISTENT, &handle, nullptr);
  if (rc != SQLITE_OK) return statement_failure(*connection_, rc);
  return Statement(connection_, handle);
}

Status Database::execute(const char* sql) {
  const int rc = sqlite3_exec(connection_->handle(), sql, nullptr, nullptr, nullptr);
  if (rc != SQLITE_OK) return failure(*connection_, rc);
  return {};
}

Status Database::execute_temporary(const char* sql) {
  const auto query_only = pragma_value("PRAGMA query_only");
  if (!query_only) return fail(query_only.error());
  if (*query_only == 0) return execute(sql);
  if (const auto done = execute("PRAGMA query_only = OFF"); !done) return done;
  const auto made = execute(sql);
  if (const auto done = execute("PRAGMA query_only = ON"); !done) return done;
  return made;
}

bool Database::write_protected() const { return sqlite3_db_readonly(connection_->handle(), "main") != 0; }
bool Database::in_transaction() const { return sqlite3_get_autocommit(connection_->handle()) == 0; }
std::int64_t Database::changed_rows() const { return sqlite3_changes64(connection_->handle()); }
const std::filesystem::path& Database::file() const { return connection_->file(); }

Result<std::int64_t> Database::pragma_value(std::string_view sql) {
  auto statement = prepare(sql);
  if (!statement) return fail(statement.error());
  const auto row = statement->step();
  if (!row) return fail(row.error());
  return *row ? statement->integer(0) : 0;
}

Result<std::uint32_t> Database::application_id() {
  const auto value = pragma_value("PRAGMA application_id");
  if (!value) return fail(value.error());
  return static_cast<std::uint32_t>(*value);
}

Status Database::set_application_id(std::uint32_t id) {
  return execute(fmt::format("PRAGMA application_id = {}", static_cast<std::int32_t>(id)).c_str());
}

Status Database::set_identity(std::uint32_t identity) {
  return execute(fmt::format("PRAGMA user_version = {}", static_cast<std::int32_t>(identity)).c_str());
}

Status Database::enable_incremental_vacuum() { return execute("PRAGMA auto_vacuum = INCREMENTAL"); }

Result<bool> Database::uses_wal() {
  auto statement = prepare("PRAGMA journal_mode");
  if (!statement) return fail(statement.error());
  const auto row = statement->step();
  if (!row) return fail(row.error());
  return *row && statement->text(0) == "wal";
}

Status Database::switch_to_wal() { return execute("PRAGMA journal_mode = WAL"); }

// In exclusive locking mode, taken before the first read, the log's index is kept in memory of this process alone.
Status Database::leave_wal() {
  if (!connection_->wants_log()) return {};
  // The read gives the lock back.
  auto done = execute(
      "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL;"
      "SELECT count(*) FROM sqlite_schema");
  if (!done && done.error().code == ErrorCode::busy) {
    done.error().message = fmt::format(
        "cannot use '{}': it lies on a network mount and has a write-ahead log, which another process uses; name a "
        "local file with CUDAHOT_CACHE",
        file().string());
  }
  return done;
}

Status Database::forget_earlier_log() {
  const auto wal = uses_wal();
  if (!wal) return fail(wal.error());
  std::error_code ignored;
  if (!*wal) std::filesystem::remove(std::string(sqlite3_db_filename(connection_->handle(), "main")) + "-shm", ignored);
  return {};
}

Result<std::optional<FileHeader>> Database::header() {
  const auto begin = read_raw(0, kHeaderBytes);
  if (!begin) return fail(begin.error());
  return parse_header(*begin);
}

// Read by SQLite's own descriptor: closing another one would drop the locks of the process.
Result<std::string> Database::read_raw(std::uint64_t offset, std::size_t most) {
  sqlite3_file* opened = connection_->main_file();
  sqlite3_int64 size = 0;
  int rc = opened->pMethods->xFileSize(opened, &size);
  std::string content;
  if (rc == SQLITE_OK && static_cast<std::uint64_t>(size) > offset) {
    content.resize(std::min(most, static_cast<std::size_t>(size) - offset));
    rc = opened->pMethods->xRead(opened, content.data(), length(content), static_cast<sqlite3_int64>(offset));
  }
  if (rc != SQLITE_OK) return failure(file(), rc, sqlite3_errstr(rc));
  return content;
}

Status Database::start_anew() {
  // Whether this can be read does not matter; if it can, SQLite knows that the database has a write-ahead log.
  (void)prepare("SELECT count(*) FROM sqlite_schema");
  sqlite3_db_config(connection_->handle(), SQLITE_DBCONFIG_RESET_DATABASE, 1, nullptr);
  auto done = execute("PRAGMA auto_vacuum = INCREMENTAL; VACUUM");
  sqlite3_db_config(connection_->handle(), SQLITE_DBCONFIG_RESET_DATABASE, 0, nullptr);
  return done;
}

Result<Database::Pages> Database::pages() {
  const auto bytes = pragma_value("PRAGMA page_size");
  if (!bytes) return fail(bytes.error());
  const auto all = pragma_value("PRAGMA page_count");
  if (!all) return fail(all.error());
  const auto free = pragma_value("PRAGMA freelist_count");
  if (!free) return fail(free.error());
  return Pages{*bytes, *all, *free};
}

Status Database::give_back_pages(std::int64_t most) {
  return execute(fmt::format("PRAGMA incremental_vacuum({})", most).c_str());
}

Status Database::checkpoint() {
  const auto wait = connection_->wait();
  wait_for_locks(std::chrono::milliseconds{0});
  const int rc = sqlite3_wal_checkpoint_v2(connection_->handle(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr);
  wait_for_locks(wait);
  if (rc != SQLITE_OK) return failure(*connection_, rc);
  return {};
}

Result<bool> Database::has_incremental_vacuum() {
  constexpr std::int64_t kIncremental = 2;
  const auto mode = pragma_value("PRAGMA auto_vacuum");
  if (!mode) return fail(mode.error());
  return *mode == kIncremental;
}

Status Database::tolerate_damage() {
  sqlite3_db_config(connection_->handle(), SQLITE_DBCONFIG_DEFENSIVE, 0, nullptr);  // it forbids the next
  return execute("PRAGMA writable_schema = ON");
}

Status Database::become_copy_of(Database& source) {
  sqlite3_backup* const backup =
      sqlite3_backup_init(connection_->handle(), "main", source.connection_->handle(), "main");
  if (backup == nullptr) return failure(*connection_, sqlite3_extended_errcode(connection_->handle()));
  const int stepped = sqlite3_backup_step(backup, -1);
  const int finished = sqlite3_backup_finish(backup);
  if (stepped == SQLITE_DONE) return {};
  return failure(connection_->file(), finished != SQLITE_OK ? finished : stepped, sqlite3_errstr(stepped));
}

Result<std::vector<std::string>> Database::integrity_problems() {
  auto statement = prepare("PRAGMA integrity_check");
  if (!statement) return fail(statement.error());
  std::vector<std::string> problems;
  for (;;) {
    const auto row = statement->step();
    if (!row) return fail(row.error());
    if (!*row) return problems;
    if (statement->text(0) != "ok") problems.emplace_back(statement->text(0));
  }
}

Result<Transaction> Transaction::begin(Database& database) {
  const bool nested = database.in_transaction();
  if (const auto begun = database.execute(nested ? "SAVEPOINT nested" : "BEGIN IMMEDIATE"); !begun) {
    return fail(begun.error());
  }
  return Transaction(database, nested);
}

Transaction::Transaction(Transaction&& other) noexcept
    : database_(std::exchange(other.database_, nullptr)), nested_(other.nested_) {}

Transaction::~Transaction() {
  // Some failures (a full disk) have rolled back already; then there is nothing to end.
  if (database_ == nullptr || !database_->in_transaction()) return;
  (void)database_->execute(nested_ ? "ROLLBACK TO nested; RELEASE nested" : "ROLLBACK");
}

Status Transaction::commit() {
  if (const auto done = database_->execute(nested_ ? "RELEASE nested" : "COMMIT"); !done) return fail(done.error());
  database_ = nullptr;
  return {};
}

}  // namespace cudahot::cache
