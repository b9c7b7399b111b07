// Why the last lookups of a source's kernels missed, or that they hit. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/difference.hpp"
#include "cache/store.hpp"

namespace cudahot::tool {

// All that is known about one source.
struct SourceHistory {
  std::string source;
  std::vector<cache::Miss> misses;
  std::vector<cache::Store::Entry>
      entries;  // its CUBINs, those it shares with a copy too; in the order of insertion, latest first
};

// Of one architecture and tier.
struct Explanation {
  region::SmArch arch;
  region::Tier tier = region::Tier::full;
  std::string name;                              // kernels, of the latest entry
  std::optional<cache::Miss> miss;               // the last one, where it is known
  bool stored_since = false;                     // what was missed is there now
  bool hit_since = false;                        // and a lookup of it hit
  const cache::Store::Entry* nearest = nullptr;  // of what was there, to what was missed
  std::vector<cache::Difference> differences;    // of what was missed, from that
  std::vector<const cache::Store::Entry*> present;
};

// In the order of architecture and tier. Points into `history`.
std::vector<Explanation> explain_history(const SourceHistory& history);

}  // namespace cudahot::tool
