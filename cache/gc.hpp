// Garbage collection: what goes so that a cache stays within its bounds. The decision is a pure function; thin code
// acts on it, in steps that hold nobody up for long.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/store.hpp"

namespace cudahot::cache {

inline constexpr std::uint64_t kDefaultCacheBytes = std::uint64_t{1} << 30;

struct GcPolicy {
  std::optional<std::uint64_t> max_bytes = kDefaultCacheBytes;  // nullopt: no bound
  std::optional<std::chrono::seconds> max_age;                  // since the last use; nullopt: no bound
  std::chrono::seconds keep_at_least{0};                        // an entry used since then stays
  // When the size is above its bound, so much of the bound is filled afterwards, so that the next inserts do not need
  // it again at once.
  double fill = 0.9;
};

// From $CUDAHOT_CACHE_SIZE ("500M", "2GiB"; 0: no bound; not set: 1 GiB) and $CUDAHOT_CACHE_AGE ("30d"; 0 or not set:
// no bound). `environment` is as base::environment. Errors: usage, naming the variable and what is accepted.
Result<GcPolicy> gc_policy(const std::function<std::optional<std::string>(const char* name)>& environment);

struct GcPlan {
  std::vector<base::Digest> remove;  // least recently used first
  std::uint64_t remove_bytes = 0;
  std::uint64_t keep_bytes = 0;
  std::size_t kept_in_use = 0;  // entries that would have gone
};

// Bytes that an entry takes in the file, with its share of the tables: about.
std::uint64_t file_bytes(const EntrySummary& entry);

// Entries unused for longer than max_age, then the least recently used until the rest fits; never one in use.
// `in_use` is asked for those only that would go.
GcPlan plan_gc(std::vector<EntrySummary> entries, const GcPolicy& policy, std::int64_t now_unix,
               const std::function<bool(const base::Digest&)>& in_use);

struct GcOutcome {
  std::size_t removed = 0;
  std::uint64_t freed_bytes = 0;  // by which the file became shorter
  bool finished = false;          // not stopped in between
};

// Removes what is planned and gives the space back, a few entries or megabytes at a time. `in_use` is asked again
// before each step; `stop` between steps. Errors: as Store::remove.
Result<GcOutcome> run_gc(Store& store, const GcPlan& plan, const std::function<bool(const base::Digest&)>& in_use,
                         const std::function<bool()>& stop = {});

}  // namespace cudahot::cache
