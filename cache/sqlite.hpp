// SQLite: the only file of cudahot that includes sqlite3.h, and the only one that issues PRAGMAs.
// Knows nothing of what is stored. Objects here are not thread safe: their owner locks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"

struct sqlite3_stmt;

namespace cudahot::cache {

// How long a call waits for another process before it returns busy.
inline constexpr int kBusyTimeoutMs = 500;

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

// One connection to one database file.
class Database {
 public:
  enum class Access {
    immutable,   // no lock, no file beside it: nobody may write the file while it is open
    inspect,     // reads with locks; changes no entry; leaves no file beside it
    read_write,  // must exist; falls back to reading where the file is write protected
    create       // read_write, made empty if it does not exist
  };

  // Errors: not_found, environment, damaged. A file that is no database shows at the first use.
  static Result<Database> open(const std::filesystem::path& file, Access access);

  Result<Statement> prepare(std::string_view sql);
  Status execute(const char* sql);  // one or more statements without rows
  // The same for what is made in the temporary schema alone, which every access allows.
  Status execute_temporary(const char* sql);

  bool write_protected() const;
  bool in_transaction() const;
  std::int64_t changed_rows() const;  // by the last statement
  const std::filesystem::path& file() const;

  // Which program the file belongs to, kept in its header. 0: no program says so.
  Result<std::uint32_t> application_id();
  Status set_application_id(std::uint32_t id);

  // Free pages can be given back later without rewriting the file. Only before the first table.
  Status enable_incremental_vacuum();
  Result<bool> uses_wal();
  Status switch_to_wal();

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
