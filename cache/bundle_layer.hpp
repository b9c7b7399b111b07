// BundleLayer: a bundle as a layer: its start section, and its database, which is opened only for what the section has
// not got.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "cache/start_section.hpp"
#include "cache/store_layer.hpp"

namespace cudahot::cache {

// Thread safe.
class BundleLayer {
 public:
  BundleLayer(std::filesystem::path file, OnceLog& log);

  std::optional<Artifact> find(const CacheKey& key) { return store_.find(key); }
  std::vector<Store::ShippedSlice> slices();
  std::optional<Artifact> shipped_artifact(const Store::ShippedCode& code);
  // The slice of this main file. Errors: damaged, environment, not_found (the bundle is in trouble, which was told).
  Result<region::Slice> slice(std::string_view source);

 private:
  const StartSection* start();  // nullptr: there is none, or it cannot be read, which was told

  const std::filesystem::path file_;
  const std::shared_ptr<TroubleReport> report_;
  StoreLayer store_;
  std::once_flag opened_;
  std::optional<StartSection> start_;  // set once
};

}  // namespace cudahot::cache
