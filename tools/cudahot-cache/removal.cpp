// The commands that remove sound entries: rm and gc.
#include <unordered_map>

#include <fmt/format.h>

#include "cache/gc.hpp"
#include "cache/lease.hpp"
#include "lib/base/amounts.hpp"
#include "lib/base/paths.hpp"
#include "lib/base/unix_time.hpp"
#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {
namespace {

using cache::GcOutcome;
using cache::GcPlan;
using InUse = std::function<bool(const base::Digest&)>;

// In the order of the plan.
Chosen planned(const std::vector<cache::EntrySummary>& entries, const GcPlan& plan) {
  std::unordered_map<base::Digest, const cache::EntrySummary*> by_key;
  for (const auto& entry : entries) by_key.emplace(entry.key, &entry);
  Chosen chosen;
  for (const auto& key : plan.remove) chosen.push_back(by_key.at(key));
  return chosen;
}

void print_removal(const Session& session, const Chosen& chosen, const GcPlan& plan, bool dry_run,
                   const GcOutcome& outcome) {
  if (session.json) {
    print({{"database", session.file.string()},
           {"dry_run", dry_run},
           {"entries", summaries_to_json(chosen)},
           {"bytes", plan.remove_bytes},
           {"kept_in_use", plan.kept_in_use},
           {"removed", outcome.removed},
           {"freed_bytes", outcome.freed_bytes}});
    return;
  }
  std::string text;
  for (const auto* entry : chosen) text.append(one_line(*entry)).append("\n");
  print(text);
  if (plan.kept_in_use != 0) {
    message(fmt::format("{} kept, since a program uses {}", counted(plan.kept_in_use, "entry is", "entries are"),
                        plan.kept_in_use == 1 ? "it" : "them"));
  }
  if (chosen.empty()) {
    message("nothing is to be removed");
  } else if (dry_run) {
    message(fmt::format("{} of about {} would be removed", counted(chosen.size(), "entry", "entries"),
                        human_size(plan.remove_bytes)));
  } else {
    message(fmt::format("{} removed, the file is {} shorter", counted(outcome.removed, "entry", "entries"),
                        human_size(outcome.freed_bytes)));
  }
}

// `plan` gives what is to go; `entries` is what there was.
int carry_out(const Session& session, std::optional<cache::Store>& store, const Chosen& chosen, const GcPlan& plan,
              const InUse& in_use, bool dry_run) {
  GcOutcome outcome;
  if (store && !dry_run && !plan.remove.empty()) {
    const auto done = cache::run_gc(*store, plan, in_use);
    if (!done) return report(done.error());
    outcome = *done;
  }
  print_removal(session, chosen, plan, dry_run, outcome);
  return kFine;
}

Result<std::vector<cache::EntrySummary>> entries_of(std::optional<cache::Store>& store) {
  if (!store) return std::vector<cache::EntrySummary>{};
  return store->list();
}

// Where nobody can say what is in use, what was used so lately may be.
constexpr std::chrono::hours kMayBeInUse{24};

// What programs say about the use of entries, beside the cache; sets what is kept where that cannot be read.
InUse use_of(const Session& session, cache::GcPolicy& policy) {
  auto leases = cache::LeaseFile::open(cache::lease_file_of(session.file), cache::LeaseFile::Open::existing);
  if (!leases) {
    if (leases.error().code != ErrorCode::not_found) policy.keep_at_least = kMayBeInUse;
    return [](const base::Digest&) { return false; };
  }
  return [leases = std::move(*leases)](const base::Digest& key) { return leases->in_use(key); };
}

Result<cache::GcPolicy> policy_of(const GcOptions& options) {
  auto policy = cache::gc_policy(base::environment);
  if (!policy) return policy;
  policy->fill = 1;  // to the size that was asked for
  // 0 means no bound, as in the environment.
  if (!options.max_size.empty()) {
    const auto bytes = base::parse_bytes(options.max_size);
    if (!bytes) return fail(bytes.error());
    policy->max_bytes = *bytes == 0 ? std::nullopt : std::optional(*bytes);
  }
  if (!options.max_age.empty()) {
    const auto age = base::parse_age(options.max_age);
    if (!age) return fail(age.error());
    policy->max_age = age->count() == 0 ? std::nullopt : std::optional(*age);
  }
  return policy;
}

}  // namespace

int remove(const Session& session, const RemoveOptions& options) {
  const Selection& selection = options.selection;
  const bool chooses = !selection.keys.empty() || !selection.filter.empty();
  if (!options.all && !chooses) {
    return report({ErrorCode::usage, "name what to remove: keys, a filter such as --source FILE, or --all", {}, {}});
  }
  if (options.all && chooses) {
    return report({ErrorCode::usage, "--all goes with neither keys nor filters", {}, {}});
  }
  auto store = open_for_change(session);
  if (!store) return report(store.error());
  const auto entries = entries_of(*store);
  if (!entries) return report(entries.error());
  Chosen chosen;
  if (*store) {
    auto found = choose(**store, *entries, selection);
    if (!found) return report(found.error());
    chosen = std::move(*found);
  }
  GcPlan plan;
  for (const auto* entry : chosen) {
    plan.remove.push_back(entry->key);
    plan.remove_bytes += cache::file_bytes(*entry);
  }
  return carry_out(session, *store, chosen, plan, {}, options.dry_run);
}

int gc(const Session& session, const GcOptions& options) {
  auto policy = policy_of(options);
  if (!policy) return report(policy.error());
  auto store = open_for_change(session);
  if (!store) return report(store.error());
  const auto entries = entries_of(*store);
  if (!entries) return report(entries.error());
  const InUse in_use = use_of(session, *policy);
  const GcPlan plan = cache::plan_gc(*entries, *policy, base::now_unix(), in_use);
  return carry_out(session, *store, planned(*entries, plan), plan, in_use, options.dry_run);
}

}  // namespace cudahot::tool
