// Memory layer: artifacts used in this process, bounded by bytes, least recently used out.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "cache/preimage.hpp"
#include "cache/store.hpp"

namespace cudahot::cache {

// Thread safe. An artifact that is out of the layer lives on with those who hold it.
class MemoryLayer {
 public:
  explicit MemoryLayer(std::size_t bound_bytes) : bound_bytes_(bound_bytes) {}

  // nullptr: a miss; also when the preimage differs.
  std::shared_ptr<const Artifact> find(const CacheKey& key);

  // Replaces an entry of the same key. What is larger than the bound is not kept.
  void insert(const CacheKey& key, std::shared_ptr<const Artifact> artifact);

  std::size_t used_bytes() const;

 private:
  struct Item {
    CacheKey key;
    std::shared_ptr<const Artifact> artifact;
    std::size_t bytes = 0;
  };
  void remove(std::list<Item>::iterator item);

  const std::size_t bound_bytes_;
  mutable std::mutex mutex_;
  std::list<Item> items_;  // most recently used first
  std::unordered_map<base::Digest, std::list<Item>::iterator> by_key_;
  std::size_t used_bytes_ = 0;
};

}  // namespace cudahot::cache
