// How an entry is called and counted, the same in every command.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cache/store.hpp"

namespace cudahot::tool {

using Json = nlohmann::ordered_json;

inline constexpr std::size_t kShortKey = 12;  // digits that are shown where space is short

inline bool is_kernel(const cache::EntrySummary& entry) { return entry.kind == cache::ArtifactKind::cubin; }

inline std::string short_key(const base::Digest& key) {
  std::string digits = base::to_hex(key);
  digits.resize(kShortKey);
  return digits;
}

// "" where tiers mean nothing.
inline std::string_view tier_of(const cache::EntrySummary& entry) {
  return is_kernel(entry) ? region::to_string(entry.tier) : std::string_view();
}

// When it was used last, or made.
inline std::int64_t last_needed(const cache::EntrySummary& entry) {
  return std::max(entry.created_unix, entry.last_used_unix);
}

std::string name_of(const cache::EntrySummary& entry);  // "UpdateSurface", "helper library (cubin)"

// "a, K<int, float>" -> "a", "K<int, float>"
std::vector<std::string_view> kernels_of(std::string_view name);

// One line: what it is and its key.
std::string one_line(const cache::EntrySummary& entry);

Json summary_to_json(const cache::EntrySummary& entry);
Json summaries_to_json(const std::vector<const cache::EntrySummary*>& entries);

// The text of summary_to_json() in one line. A hundred thousand documents take seconds to build.
void append_json(std::string& text, const cache::EntrySummary& entry);

}  // namespace cudahot::tool
