#include "tools/cudahot-cache/explanation.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace cudahot::tool {
namespace {

using cache::Store;

using Entries = std::vector<const Store::Entry*>;

// What was there when the lookup missed: what was made later did not matter. Where the entry that was missed has been
// stored the order of insertion tells, else the second.
Entries there_before(const SourceHistory& history, const cache::Miss& miss) {
  Entries before;
  const auto made =
      std::ranges::find(history.entries, miss.key.digest, [](const auto& entry) { return entry.summary.key; });
  if (made != history.entries.end()) {
    for (auto entry = made + 1; entry != history.entries.end(); ++entry) before.push_back(&*entry);
  } else {
    for (const auto& entry : history.entries) {
      if (entry.summary.created_unix <= miss.missed_unix) before.push_back(&entry);
    }
  }
  return before;
}

void find_nearest(const SourceHistory& history, Explanation& explanation) {
  const auto now = cache::parse_preimage(explanation.miss->key.preimage);
  if (!now) return;
  Entries others = there_before(history, *explanation.miss);
  std::ranges::stable_partition(others, [&](const auto* entry) { return entry->summary.source == history.source; });
  std::vector<std::vector<cache::Field>> preimages;
  for (const auto* entry : others) preimages.push_back(entry->preimage);
  const auto best = cache::nearest(*now, preimages);
  if (!best) return;
  explanation.nearest = others[*best];
  explanation.differences = cache::differences(*now, preimages[*best]);
}

// Its uses are counted from when it was made, which is after the miss but where it was there and damaged.
bool used_since(const cache::EntrySummary& entry, const cache::Miss& miss) {
  return entry.last_used_unix > miss.missed_unix ||
         (entry.last_used_unix != 0 && entry.created_unix >= miss.missed_unix);
}

}  // namespace

std::vector<Explanation> explain_history(const SourceHistory& history) {
  std::map<std::pair<region::SmArch, region::Tier>, Explanation> explanations;
  for (const auto& entry : history.entries) {
    Explanation& explanation = explanations[{entry.summary.arch, entry.summary.tier}];
    if (explanation.present.empty()) explanation.name = entry.summary.name;
    explanation.present.push_back(&entry);
  }
  for (const auto& miss : history.misses) {
    Explanation& explanation = explanations[{miss.arch, miss.tier}];
    explanation.miss = miss;
    for (const auto* entry : explanation.present) {
      if (entry->summary.key != miss.key.digest) continue;
      explanation.stored_since = true;
      explanation.hit_since = used_since(entry->summary, miss);
    }
    if (miss.reason != cache::MissReason::first) find_nearest(history, explanation);
  }
  std::vector<Explanation> list;
  for (auto& [place, explanation] : explanations) {
    std::tie(explanation.arch, explanation.tier) = place;
    list.push_back(std::move(explanation));
  }
  return list;
}

}  // namespace cudahot::tool
