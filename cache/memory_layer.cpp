#include "cache/memory_layer.hpp"

#include <iterator>
#include <utility>

namespace cudahot::cache {
namespace {

std::size_t size_of(const CacheKey& key, const Artifact& artifact) {
  std::size_t bytes = sizeof(CacheKey) + sizeof(Artifact) + key.preimage.size() + artifact.blob.size() +
                      artifact.name.size() + artifact.regions.size() + artifact.source.size();
  for (const base::KernelFacts& kernel : artifact.kernels) {
    bytes += sizeof(kernel) + kernel.lowered_name.size() + kernel.parameters.size() * sizeof(base::ParameterFacts);
  }
  for (const auto& names : artifact.lowered_names) bytes += sizeof(names) + names.first.size() + names.second.size();
  return bytes;
}

}  // namespace

std::shared_ptr<const Artifact> MemoryLayer::find(const CacheKey& key) {
  const std::lock_guard lock(mutex_);
  const auto found = by_key_.find(key.digest);
  if (found == by_key_.end() || found->second->key.preimage != key.preimage) return nullptr;
  items_.splice(items_.begin(), items_, found->second);
  return found->second->artifact;
}

void MemoryLayer::insert(const CacheKey& key, std::shared_ptr<const Artifact> artifact) {
  const std::size_t bytes = size_of(key, *artifact);
  const std::lock_guard lock(mutex_);
  if (const auto found = by_key_.find(key.digest); found != by_key_.end()) remove(found->second);
  if (bytes > bound_bytes_) return;
  while (used_bytes_ + bytes > bound_bytes_) remove(std::prev(items_.end()));
  items_.push_front({key, std::move(artifact), bytes});
  by_key_[key.digest] = items_.begin();
  used_bytes_ += bytes;
}

std::size_t MemoryLayer::used_bytes() const {
  const std::lock_guard lock(mutex_);
  return used_bytes_;
}

void MemoryLayer::remove(std::list<Item>::iterator item) {
  used_bytes_ -= item->bytes;
  by_key_.erase(item->key.digest);
  items_.erase(item);
}

}  // namespace cudahot::cache
