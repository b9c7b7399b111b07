#include <utility>

#include <sqlite3.h>

#include "cache/sqlite.hpp"
#include "cache/sqlite_connection.hpp"

namespace cudahot::cache {

Statement::Statement(std::shared_ptr<Connection> connection, sqlite3_stmt* handle)
    : connection_(std::move(connection)), handle_(handle) {}

Statement::Statement(Statement&& other) noexcept
    : connection_(std::move(other.connection_)),
      handle_(std::exchange(other.handle_, nullptr)),
      bind_failure_(other.bind_failure_) {}

Statement& Statement::operator=(Statement&& other) noexcept {
  std::swap(connection_, other.connection_);
  std::swap(handle_, other.handle_);
  std::swap(bind_failure_, other.bind_failure_);
  return *this;
}

Statement::~Statement() {
  if (handle_ != nullptr && !connection_->inherited()) sqlite3_finalize(handle_);
}

Statement& Statement::bind(int parameter, std::int64_t value) {
  if (const int rc = sqlite3_bind_int64(handle_, parameter, value); rc != SQLITE_OK) bind_failure_ = rc;
  return *this;
}

Statement& Statement::bind_text(int parameter, std::string_view value) {
  // A null pointer would bind NULL instead of an empty text.
  const char* data = value.data() == nullptr ? "" : value.data();
  const int rc = sqlite3_bind_text64(handle_, parameter, data, value.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (rc != SQLITE_OK) bind_failure_ = rc;
  return *this;
}

Statement& Statement::bind_blob(int parameter, std::string_view value) {
  const char* data = value.data() == nullptr ? "" : value.data();
  const int rc = sqlite3_bind_blob64(handle_, parameter, data, value.size(), SQLITE_STATIC);
  if (rc != SQLITE_OK) bind_failure_ = rc;
  return *this;
}

Result<bool> Statement::step() {
  if (bind_failure_ != SQLITE_OK) return failure(connection_->file(), bind_failure_, sqlite3_errstr(bind_failure_));
  const int rc = sqlite3_step(handle_);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE) return false;
  return statement_failure(*connection_, rc);
}

Status Statement::run() {
  const auto row = step();
  reset();
  if (!row) return fail(row.error());
  return {};
}

void Statement::reset() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
  bind_failure_ = SQLITE_OK;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(handle_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

std::string_view Statement::blob(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(handle_, column));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(handle_, column))};
}

}  // namespace cudahot::cache
