// Layers: memory, bundles, user cache, asked in this order. Never the reason that a launch
// fails: every trouble of a layer is logged once as a warning and is a miss from then on.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cache/store.hpp"
#include "cudahot/log.hpp"

namespace cudahot::cache {

struct LayersOptions {
  std::vector<std::filesystem::path> bundles;       // opened immutable, in this order
  std::optional<std::filesystem::path> user_cache;  // nullopt: none
  LogCallback log;                                  // may be empty
  std::size_t memory_bytes = 64u << 20;             // bound of the memory layer, least recently used out
};

// Thread safe.
class Layers {
 public:
  enum class Origin { memory, bundle, user_cache };
  struct Hit {
    std::shared_ptr<const Artifact> artifact;
    Origin origin = Origin::memory;
  };

  explicit Layers(LayersOptions options);  // opens nothing yet
  ~Layers();
  Layers(const Layers&) = delete;
  Layers& operator=(const Layers&) = delete;

  std::optional<Hit> find(const CacheKey& key);
  void insert(const CacheKey& key, Artifact artifact);  // memory and user cache

  // The slices of all bundles; those of earlier bundles win where the main file is the same.
  std::vector<Store::StoredSlice> slices();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string_view to_string(Layers::Origin origin);  // "memory", "bundle", "user cache"

}  // namespace cudahot::cache
