// The tables `miss` and `total`: the last misses, and sums over a cache's life. Knows no locks, files or logs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cache/statement_cache.hpp"
#include "cache/store.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

class MissTable {
 public:
  explicit MissTable(StatementCache& statements) : statements_(&statements) {}

  // To be called inside a transaction. Errors (here and below): busy, environment, damaged.
  Status put(const Miss& miss);   // counts it
  Status copy(const Miss& miss);  // does not
  Status add_hits(std::int64_t hits, std::int64_t saved_us);
  Status add(const Totals& totals);

  Result<std::vector<Miss>> of_source(std::string_view source);  // newest first; unreadable ones are left out
  Result<std::vector<Miss>> all();                               // the same, oldest first
  Result<std::vector<std::string>> sources();                    // of all misses, different ones
  Result<Totals> totals();

 private:
  Status add_total(std::string_view name, std::int64_t value);
  static Result<std::vector<Miss>> read(Statement& select);
  StatementCache* statements_;
};

}  // namespace cudahot::cache
