// How an entry is called and counted, the same in every command.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "cache/store.hpp"

namespace cudahot::tool {

inline std::int64_t now_unix() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

inline bool is_kernel(const cache::EntrySummary& entry) { return entry.kind == cache::ArtifactKind::cubin; }

// "" where tiers mean nothing.
inline std::string tier_of(const cache::EntrySummary& entry) {
  return is_kernel(entry) ? std::string(region::to_string(entry.tier)) : std::string();
}

inline nlohmann::ordered_json summary_to_json(const cache::EntrySummary& entry) {
  using Json = nlohmann::ordered_json;
  const auto tier = tier_of(entry);
  return {{"key", base::to_hex(entry.key)},
          {"kind", cache::to_string(entry.kind)},
          {"name", entry.name},
          {"regions", entry.regions},
          {"source", entry.source},
          {"architecture", region::to_string(entry.arch)},
          {"tier", tier.empty() ? Json(nullptr) : Json(tier)},
          {"bytes", entry.blob_bytes},
          {"registers", entry.registers},
          {"static_shared_bytes", entry.static_shared_bytes},
          {"toolkit_version", entry.toolkit_version},
          {"created_unix", entry.created_unix},
          {"last_used_unix", entry.last_used_unix == 0 ? Json(nullptr) : Json(entry.last_used_unix)},
          {"hits", entry.hits}};
}

}  // namespace cudahot::tool
