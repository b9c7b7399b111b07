#include "cache/gc.hpp"

#include <algorithm>

#include "lib/base/amounts.hpp"

namespace cudahot::cache {
namespace {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t kRowBytes = 512;  // of the row in `artifact` and its places in the indexes

constexpr std::size_t kStepEntries = 64;
constexpr std::uint64_t kStepBytes = std::uint64_t{8} << 20;

std::int64_t last_used(const EntrySummary& entry) { return std::max(entry.created_unix, entry.last_used_unix); }

std::uint64_t file_length(Store& store) {
  const auto size = store.size();
  return size ? size->file_bytes : 0;
}

// As long as it becomes shorter: another process may read an older state, which holds the rest until later.
Status shrink_fully(Store& store, const std::function<bool()>& stop) {
  std::uint64_t free_before = ~std::uint64_t{0};
  for (;;) {
    const auto size = store.size();
    if (!size) return fail(size.error());
    if (size->free_bytes == 0 || size->free_bytes >= free_before || (stop && stop())) return {};
    free_before = size->free_bytes;
    if (const auto done = store.shrink(kStepBytes); !done) return done;
  }
}

}  // namespace

Result<GcPolicy> gc_policy(const std::function<std::optional<std::string>(const char* name)>& environment) {
  GcPolicy policy;
  if (const auto text = environment("CUDAHOT_CACHE_SIZE")) {
    const auto bytes = base::parse_bytes(*text);
    if (!bytes) return fail(ErrorCode::usage, "CUDAHOT_CACHE_SIZE: " + bytes.error().message);
    policy.max_bytes = *bytes == 0 ? std::nullopt : std::optional(*bytes);
  }
  if (const auto text = environment("CUDAHOT_CACHE_AGE")) {
    const auto age = base::parse_age(*text);
    if (!age) return fail(ErrorCode::usage, "CUDAHOT_CACHE_AGE: " + age.error().message);
    if (age->count() > 0) policy.max_age = *age;
  }
  return policy;
}

std::uint64_t file_bytes(const EntrySummary& entry) {
  return (entry.stored_bytes + kPageBytes - 1) / kPageBytes * kPageBytes + kRowBytes;
}

GcPlan plan_gc(std::vector<EntrySummary> entries, const GcPolicy& policy, std::int64_t now_unix,
               const std::function<bool(const base::Digest&)>& in_use) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const auto& a, const auto& b) { return last_used(a) < last_used(b); });
  GcPlan plan;
  for (const EntrySummary& entry : entries) plan.keep_bytes += file_bytes(entry);
  std::uint64_t target = ~std::uint64_t{0};
  if (policy.max_bytes && plan.keep_bytes > *policy.max_bytes) {
    target = static_cast<std::uint64_t>(static_cast<double>(*policy.max_bytes) * policy.fill);
  }
  for (const EntrySummary& entry : entries) {
    const bool too_old = policy.max_age && now_unix - last_used(entry) > policy.max_age->count();
    if (!too_old && plan.keep_bytes <= target) continue;
    const bool used_lately = now_unix - last_used(entry) < policy.keep_at_least.count();
    if (policy.keep_at_least.count() > 0 && used_lately) continue;
    if (in_use && in_use(entry.key)) {
      ++plan.kept_in_use;
      continue;
    }
    plan.remove.push_back(entry.key);
    plan.remove_bytes += file_bytes(entry);
    plan.keep_bytes -= file_bytes(entry);
  }
  return plan;
}

Result<GcOutcome> run_gc(Store& store, const GcPlan& plan, const std::function<bool(const base::Digest&)>& in_use,
                         const std::function<bool()>& stop) {
  GcOutcome outcome;
  const std::uint64_t before = file_length(store);
  for (std::size_t i = 0; i < plan.remove.size(); i += kStepEntries) {
    if (stop && stop()) return outcome;
    std::vector<base::Digest> step;
    for (std::size_t j = i; j < std::min(i + kStepEntries, plan.remove.size()); ++j) {
      if (!in_use || !in_use(plan.remove[j])) step.push_back(plan.remove[j]);
    }
    const auto removed = store.remove(step);
    if (!removed) return fail(removed.error());
    outcome.removed += *removed;
  }
  if (const auto shrunk = shrink_fully(store, stop); !shrunk) return fail(shrunk.error());
  outcome.freed_bytes = before - std::min(before, file_length(store));
  outcome.finished = true;
  return outcome;
}

}  // namespace cudahot::cache
