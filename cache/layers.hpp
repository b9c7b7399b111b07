// Layers: memory, bundles, user cache, asked in this order. Never the reason that a launch
// fails: every trouble of a layer is logged once as a warning and is a miss from then on.
// What is written is written by a thread of its own.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cache/gc.hpp"
#include "cache/lease.hpp"
#include "cache/store.hpp"
#include "cudahot/log.hpp"

namespace cudahot::cache {

struct LayersOptions {
  std::vector<std::filesystem::path> bundles;       // opened immutable, in this order
  std::optional<std::filesystem::path> user_cache;  // nullopt: none
  LogCallback log;                                  // may be empty; also called by the thread that writes
  std::size_t memory_bytes = 64u << 20;             // bound of the memory layer, least recently used out
  GcPolicy gc;                                      // of the user cache
  MountProbe network_mount = cache::network_mount;  // asked where the user cache is
};

// Thread safe.
class Layers {
 public:
  enum class Origin { memory, bundle, user_cache };
  struct Hit {
    std::shared_ptr<const Artifact> artifact;
    Origin origin = Origin::memory;
  };

  struct ShippedHit {
    std::shared_ptr<const Artifact> artifact;
    base::Digest key;
  };

  explicit Layers(LayersOptions options);  // opens nothing yet
  ~Layers();                               // after what was inserted is written
  Layers(const Layers&) = delete;
  Layers& operator=(const Layers&) = delete;

  // An artifact of the user cache counts as in use there as long as it lives.
  std::optional<Hit> find(const CacheKey& key);

  // What to do about a key: take the hit, or compile it. `lease` makes other processes wait for the outcome; of
  // nothing: compile without one.
  struct Claim {
    std::optional<Hit> hit;
    Lease lease;
  };
  // Looks, and on a miss waits while another process compiles the key, and looks again. `cancelled`, asked every few
  // ms, ends the waiting. Once per key at a time in one process: threads share an outcome elsewhere.
  Claim claim(const CacheKey& key, const std::function<bool()>& cancelled = {});

  // Into memory, and soon into the user cache, where it is noted as a miss that was compiled. The lease goes when that
  // is done. Gives the artifact, in use there as long as it lives.
  std::shared_ptr<const Artifact> insert(const CacheKey& key, Artifact artifact, Provenance provenance = {},
                                         Lease lease = {});

  // A miss that could not be compiled: for people. Of `wanted` all but the blob and what comes from it counts.
  void note_failed(const CacheKey& key, Artifact wanted, Lease lease = {});

  // Until all that was inserted is written, or could not be.
  void flush();

  // The slices of all bundles; those of earlier bundles win where the main file is the same.
  std::vector<Store::ShippedSlice> slices();
  // One of them in full. Errors: damaged, environment, not_found (the bundle is in trouble, which was told).
  Result<region::Slice> slice(const Store::ShippedSlice& shipped);
  // What its bundle has of it, which depends on no file: only on what the program itself compiles differently from the
  // one that made the bundle, of which `helper_library` tells.
  std::optional<ShippedHit> find_shipped(const Store::ShippedSlice& shipped, const region::SmArch& arch,
                                         region::Tier tier, const base::Digest& helper_library);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string_view to_string(Layers::Origin origin);  // "memory", "bundle", "user cache"

}  // namespace cudahot::cache
