// BundleLayer: a bundle as a layer: its start section, and its database, which is opened only for what the section has
// not got. Both are of the file that had the bundle's name at the first use.
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

  std::optional<Artifact> find(const CacheKey& key) { return opened().database->find(key); }
  std::vector<Store::ShippedSlice> slices();
  std::optional<Artifact> shipped_artifact(const Store::ShippedCode& code);
  // The slice of this main file. Errors: damaged, environment, not_found; they are not logged.
  Result<region::Slice> slice(std::string_view source);

 private:
  struct Opened {
    std::optional<StartSection> start;  // nullopt: there is none, or it cannot be read, which was told
    std::optional<StoreLayer> database;
  };
  Opened& opened();

  const std::filesystem::path file_;
  const std::shared_ptr<TroubleReport> report_;
  std::once_flag once_;
  Opened opened_;  // set once
};

}  // namespace cudahot::cache
