// The table `slice`: one row per main file. Knows no locks, files or logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/statement_cache.hpp"
#include "cache/store.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

class SliceTable {
 public:
  explicit SliceTable(StatementCache& statements) : statements_(&statements) {}

  // To be called inside a transaction. Errors: busy, environment, damaged, usage (no main file).
  Status put(const Store::StoredSlice& slice);

  struct Content {
    std::vector<Store::StoredSlice> slices;  // in order of insertion
    std::vector<Store::Problem> problems;    // of the rows left out
    std::vector<std::int64_t> damaged_rows;  // their ids
  };
  // Errors: busy, environment, damaged (the database itself).
  Result<Content> read_all();
  Result<std::optional<Store::StoredSlice>> slice_in_row(std::int64_t id);  // errors: also damaged, when this row is
  Result<std::optional<Store::StoredSlice>> slice_of(std::string_view source);  // the same
  Status remove_row(std::int64_t id);

 private:
  StatementCache* statements_;
};

}  // namespace cudahot::cache
