#include "tools/cudahot-cache/explanation.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace cudahot::tool {
namespace {

using cache::Store;

// Nearest of those that were there when the lookup missed: what was made later did not matter.
void find_nearest(const SourceHistory& history, Explanation& explanation) {
  const auto now = cache::parse_preimage(explanation.miss->key.preimage);
  if (!now) return;
  std::vector<const Store::Entry*> others;
  std::vector<std::vector<cache::Field>> preimages;
  for (const auto& entry : history.entries) {
    if (entry.summary.key == explanation.miss->key.digest ||
        entry.summary.created_unix > explanation.miss->missed_unix) {
      continue;
    }
    others.push_back(&entry);
    preimages.push_back(entry.preimage);
  }
  const auto best = cache::nearest(*now, preimages);
  if (!best) return;
  explanation.nearest = others[*best];
  explanation.differences = cache::differences(*now, preimages[*best]);
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
      if (entry->summary.key == miss.key.digest) explanation.stored_since = true;
      if (entry->summary.last_used_unix > miss.missed_unix) explanation.hit_since = true;
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
