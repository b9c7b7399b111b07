// Prepared statements of one database, kept for the next use.
#pragma once

#include <string_view>
#include <unordered_map>

#include "cache/sqlite.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

// One use of a kept statement; resets it at the end, so that it holds no read transaction.
class StatementUse {
 public:
  explicit StatementUse(Statement& statement) : statement_(&statement) {}
  StatementUse(StatementUse&& other) noexcept : statement_(other.statement_) { other.statement_ = nullptr; }
  StatementUse& operator=(StatementUse&&) = delete;
  ~StatementUse() {
    if (statement_ != nullptr) statement_->reset();
  }
  Statement* operator->() const { return statement_; }
  Statement& operator*() const { return *statement_; }

 private:
  Statement* statement_;
};

class StatementCache {
 public:
  explicit StatementCache(Database& database) : database_(&database) {}

  // `sql` is a constant of static storage: statements are told apart by its address. One use of
  // a statement at a time. Errors: those of Database::prepare.
  Result<StatementUse> use(std::string_view sql) {
    auto found = statements_.find(sql.data());
    if (found == statements_.end()) {
      auto prepared = database_->prepare(sql);
      if (!prepared) return fail(prepared.error());
      found = statements_.emplace(sql.data(), std::move(*prepared)).first;
    }
    return StatementUse(found->second);
  }

  std::int64_t changed_rows() const { return database_->changed_rows(); }  // by the last statement

 private:
  Database* database_;
  std::unordered_map<const char*, Statement> statements_;
};

}  // namespace cudahot::cache
