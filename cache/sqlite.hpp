// SQLite: with sqlite_connection.* the only files of cudahot that include sqlite3.h and issue PRAGMAs.
// Knows nothing of what is stored. Objects here are not thread safe: their owner locks.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/file_header.hpp"
#include "cache/patience.hpp"
#include "cudahot/result.hpp"

struct sqlite3_stmt;

namespace cudahot::cache {

class Connection;  // owner of the sqlite3 handle

// A prepared statement. Keeps its database open. A bound or read string_view is not copied: what
// is bound must live until reset(), what is read is valid until the next step() or reset().
class Statement {
 public:
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&& other) noexcept;
  ~Statement();

  // Parameters count from 1. A failure is remembered and returned by step().
  Statement& bind(int parameter, std::int64_t value);
  Statement& bind_text(int parameter, std::string_view value);
  Statement& bind_blob(int parameter, std::string_view value);

  // True: there is a row. Errors: busy, damaged, environment, internal.
  Result<bool> step();
  // Runs a statement that gives no rows, and resets it.
  Status run();
  // Ends the read transaction that an unfinished statement holds, and forgets the parameters.
  void reset();

  // Columns count from 0.
  std::int64_t integer(int column) const;
  std::string_view text(int column) const;
  std::string_view blob(int column) const;

 private:
  friend class Database;
  Statement(std::shared_ptr<Connection> connection, sqlite3_stmt* handle);
  std::shared_ptr<Connection> connection_;
  sqlite3_stmt* handle_ = nullptr;
  int bind_failure_ = 0;
};

// One connection to one database file. While one is open the process must not open the file by other means: closing it
// again would drop the locks of all its connections.
class Database {
 public:
  enum class Access {
    immutable,   // no lock, no file beside it: nobody may write the file while it is open
    inspect,     // reads with locks; changes no entry; leaves no file beside it
    read_write,  // must exist; falls back to reading where the file is write protected
    create,      // read_write, made empty if it does not exist
    raw          // read_write, for read_raw() and start_anew() alone: nothing in it needs to be right
  };

  enum class Sharing {
    memory,     // a write-ahead log, whose index processes share in memory, if the database has one
    locks_only  // nothing is mapped: a database with such a log is taken out of that mode, or is busy
  };

  // Errors: not_found, environment, damaged, busy. A file that is no database shows at the first use.
  static Result<Database> open(const std::filesystem::path& file, Access access, Sharing sharing = Sharing::memory,
                               std::chrono::milliseconds wait = kLongWait);

  // How long each call does, from now on.
  void wait_for_locks(std::chrono::milliseconds longest);

  // Whether the connection still is to the file of that name. To be asked before a use after a while: something may
  // have happened to the file from outside. All but `usable` mean: destroy it. That then writes nothing.
  enum class Hold {
    usable,
    stale,        // the file or one beside it was removed, replaced or cut short: opening it anew helps
    overwritten,  // in place, or its log was cut: the same. Then the log goes, which is not of what is there now
    inherited  // by a child process that has not called exec(): no lock of this process is real, also not after opening
               // the file anew
  };
  Hold hold();
  tl::unexpected<Error> inherited_error() const;

  // A statement that does not fit the tables, here and in step(), means a damaged database.
  Result<Statement> prepare(std::string_view sql);
  Status execute(const char* sql);  // one or more statements without rows
  // The same for what is made in the temporary schema alone, which every access allows.
  Status execute_temporary(const char* sql);

  bool write_protected() const;
  bool in_transaction() const;
  std::int64_t changed_rows() const;  // by the last statement
  const std::filesystem::path& file() const;

  // A database that is read from its file's bytes, in memory. `file` is for messages. Errors: environment.
  static Result<Database> from_bytes(const std::filesystem::path& file, std::string_view bytes);

  // Which program the file belongs to, kept in its header. 0: no program says so.
  Result<std::uint32_t> application_id();
  Status set_application_id(std::uint32_t id);
  // What tells this file's content from that of another, kept in its header.
  Status set_identity(std::uint32_t identity);

  // Free pages can be given back later without rewriting the file. Only before the first table.
  Status enable_incremental_vacuum();
  Result<bool> uses_wal();
  Status switch_to_wal();

  // To be called in the transaction that makes the first table: removes the index of a write-ahead log of an earlier
  // database of that name, which SQLite would take for that of this one.
  Status forget_earlier_log();

  // That of the file as it is on the disk; nullopt: it has none.
  Result<std::optional<FileHeader>> header();
  // Bytes of the file as they are on the disk, without what a write-ahead log changes in them; less at its end.
  Result<std::string> read_raw(std::uint64_t offset, std::size_t most);
  // Makes it an empty database in place, however damaged it is, as one transaction that other connections see. The
  // application id may stay. Free pages can be given back. Errors: busy, environment.
  Status start_anew();

  struct Pages {
    std::int64_t bytes = 0;  // of one page
    std::int64_t all = 0;
    std::int64_t free = 0;
  };
  Result<Pages> pages();
  // Gives at most `most` free pages back at the end of the file, in a transaction of its own.
  Status give_back_pages(std::int64_t most);
  // Copies the write-ahead log into the file and empties it, as far as nobody reads an older state. Waits for nobody.
  Status checkpoint();

  // Whether enable_incremental_vacuum() was called when the file was made.
  Result<bool> has_incremental_vacuum();

  // From here on a damaged schema and a file that was cut off do not keep sound pages from being read and written.
  Status tolerate_damage();
  // Makes all pages those of `source`, in one transaction that other processes see as such.
  Status become_copy_of(Database& source);

  // What SQLite finds wrong with the file; empty when it is sound.
  Result<std::vector<std::string>> integrity_problems();

 private:
  explicit Database(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}
  Result<std::int64_t> pragma_value(std::string_view sql);
  Status leave_wal();
  std::shared_ptr<Connection> connection_;
};

// A write transaction, or a savepoint where one is open. Rolled back unless commit() succeeds.
class Transaction {
 public:
  // Errors: busy, environment, damaged.
  static Result<Transaction> begin(Database& database);
  Transaction(Transaction&& other) noexcept;
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();
  Status commit();

 private:
  Transaction(Database& database, bool nested) : database_(&database), nested_(nested) {}
  Database* database_;
  bool nested_;
};

}  // namespace cudahot::cache
