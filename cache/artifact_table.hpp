// The tables `artifact` and `artifact_content`: rows in, rows out. Knows no locks, files or logs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/preimage.hpp"
#include "cache/sqlite.hpp"
#include "cache/statement_cache.hpp"
#include "cache/store.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

class ArtifactTable {
 public:
  explicit ArtifactTable(StatementCache& statements) : statements_(&statements) {}

  struct Lookup {
    enum class Kind { miss, collision, damaged, hit };
    Kind kind = Kind::miss;
    Artifact artifact;    // hit
    std::string problem;  // damaged
  };
  // Errors (here and below): busy, environment, damaged (the database itself).
  Result<Lookup> find(const CacheKey& key);

  // To be called inside a transaction.
  Status insert(const CacheKey& key, const Artifact& artifact, const Provenance& provenance, std::int64_t now_unix);
  Status copy(const Store::Entry& entry);        // as it is, with its use
  Result<bool> remove(const base::Digest& key);  // whether it was there
  Result<std::int64_t> add_usage(const base::Digest& key, std::int64_t hits,
                                 std::int64_t last_used_unix);  // gives the entry's build_us

  Result<std::vector<EntrySummary>> list(Store::Details details);
  Result<std::optional<Store::Entry>> entry(const base::Digest& key);
  Result<std::vector<base::Digest>> keys_with_prefix(std::string_view prefix);
  Result<std::optional<Store::Entry>> entry_in_row(std::int64_t id);  // errors: also damaged, when this row is

  struct Damage {
    Store::Problem problem;
    std::optional<std::int64_t> row;  // nullopt: contents without an entry
  };
  Result<std::vector<Damage>> verify();
  // Removes what verify() found; to be called inside a transaction.
  Status remove_damaged(const std::vector<Damage>& damages);

  // The preimage of every sound CUBIN of this main file.
  struct Candidate {
    base::Digest key;
    std::vector<Field> preimage;
  };
  Result<std::vector<Candidate>> of_source(std::string_view source);

 private:
  StatementCache* statements_;
};

}  // namespace cudahot::cache
