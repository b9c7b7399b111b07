// The table `start`: what a program needs of a bundle's slices to run their kernels as they were built, and where the
// code is. Grammar of its records: docs/cache-format.md. Knows no locks, files or logs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cache/statement_cache.hpp"
#include "cache/store.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

class StartTable {
 public:
  explicit StartTable(StatementCache& statements) : statements_(&statements) {}

  // To be called inside a transaction.
  Status put(const Store::ShippedSlice& shipped);
  Status remove(std::int64_t slice);

  struct Content {
    std::vector<Store::ShippedSlice> shipped;  // in order of the slices
    std::vector<std::int64_t> damaged;         // slices whose record cannot be used
  };
  // Errors (here and below): busy, environment, damaged (the database itself).
  Result<Content> read_all();

  // nullopt: it is gone or damaged.
  Result<std::optional<Artifact>> artifact(const Store::ShippedCode& code);

 private:
  StatementCache* statements_;
};

}  // namespace cudahot::cache
