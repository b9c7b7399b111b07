#include "cache/layers.hpp"

#include <algorithm>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "cache/bundle_layer.hpp"
#include "cache/memory_layer.hpp"
#include "cache/store_layer.hpp"
#include "cache/writer.hpp"

namespace cudahot::cache {
namespace {

// The user cache: read by the threads that ask, written by a thread of its own.
class UserCache {
 public:
  UserCache(std::filesystem::path file, const GcPolicy& policy, MountProbe network_mount, OnceLog& log)
      : lease_file_(lease_file_of(file)),
        report_(std::make_shared<TroubleReport>("cache", log)),
        reader_(file, Store::Mode::read_write, report_, {kShortWait, network_mount}),
        on_network_([file, network_mount] { return network_mount(file).has_value(); }),
        writer_(std::move(file), policy, report_, network_mount) {}

  // With a mark that it is in use.
  std::shared_ptr<const Artifact> find(const CacheKey& key) {
    auto found = reader_.find(key);
    if (!found) return nullptr;
    return marked(std::make_shared<const Artifact>(std::move(*found)), key.digest, leases(LeaseFile::Open::existing));
  }

  std::shared_ptr<const Artifact> insert(const CacheKey& key, std::shared_ptr<const Artifact> artifact,
                                         Provenance provenance, Lease lease) {
    auto leases = this->leases(LeaseFile::Open::create);
    auto result = marked(artifact, key.digest, leases);
    writer_.add(
        {key, std::move(artifact), std::move(provenance), reason(key), std::move(lease), std::move(leases), damage()});
    return result;
  }

  Lease acquire(const CacheKey& key, const std::function<bool()>& cancelled) {
    const auto leases = this->leases(LeaseFile::Open::create);
    return leases ? leases->acquire(key.digest, cancelled) : Lease();
  }

  void note_failed(const CacheKey& key, Artifact wanted, Lease lease) {
    wanted.blob.clear();
    writer_.add({key,
                 std::make_shared<const Artifact>(std::move(wanted)),
                 {},
                 reason(key),
                 std::move(lease),
                 leases(LeaseFile::Open::create),
                 damage()});
  }

  void flush() { writer_.flush(); }

 private:
  // nullptr: there is none (yet), nothing is stored here, or its folder cannot be written to or is on a network mount,
  // where locks may be slow or none. Everything works without it, too.
  std::shared_ptr<LeaseFile> leases(LeaseFile::Open how) {
    const std::lock_guard lock(mutex_);
    if (!no_leases_) no_leases_ = on_network_();
    if (leases_ || *no_leases_) return leases_;
    if (how == LeaseFile::Open::create && !reader_.takes_entries()) return nullptr;
    auto opened = LeaseFile::open(lease_file_, how);
    if (opened) leases_ = std::move(*opened);
    else no_leases_ = how == LeaseFile::Open::create;
    return leases_;
  }

  // The writer may never come by the place that the reader cannot read.
  std::optional<HealingMark> damage() {
    auto damage = reader_.read([](Store& store) -> Result<std::optional<HealingMark>> { return store.damage(); });
    return damage ? *damage : std::nullopt;
  }

  std::optional<MissReason> reason(const CacheKey& key) {
    const auto damaged = reader_.read([&](Store& store) -> Result<bool> { return store.was_damaged(key.digest); });
    if (damaged && *damaged) return MissReason::damaged;
    return std::nullopt;
  }

  static std::shared_ptr<const Artifact> marked(std::shared_ptr<const Artifact> artifact, const base::Digest& key,
                                                const std::shared_ptr<LeaseFile>& leases) {
    if (!leases) return artifact;
    struct Marked {
      std::shared_ptr<const Artifact> artifact;
      UseMark mark;
    };
    const Artifact* plain = artifact.get();
    auto holder = std::make_shared<Marked>(Marked{std::move(artifact), leases->mark_in_use(key)});
    return {std::move(holder), plain};
  }

  const std::filesystem::path lease_file_;
  const std::shared_ptr<TroubleReport> report_;
  StoreLayer reader_;
  const std::function<bool()> on_network_;
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<LeaseFile> leases_;
  std::optional<bool> no_leases_;  // not looked at yet
  Writer writer_;                  // last: ends first
};

}  // namespace

struct Layers::State {
  explicit State(LayersOptions options) : log(std::move(options.log)), memory(options.memory_bytes) {
    for (auto& file : options.bundles) {
      bundles.push_back(std::make_unique<BundleLayer>(std::move(file), log));
    }
    if (options.user_cache) {
      user_cache = std::make_unique<UserCache>(std::move(*options.user_cache), options.gc, options.network_mount, log);
    }
  }

  OnceLog log;
  MemoryLayer memory;
  std::vector<std::unique_ptr<BundleLayer>> bundles;
  std::unique_ptr<UserCache> user_cache;  // may be none
};

Layers::Layers(LayersOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Layers::~Layers() = default;

std::optional<Layers::Hit> Layers::find(const CacheKey& key) {
  if (auto artifact = state_->memory.find(key)) return Hit{std::move(artifact), Origin::memory};
  for (const auto& bundle : state_->bundles) {
    auto found = bundle->find(key);
    if (!found) continue;
    auto artifact = std::make_shared<const Artifact>(std::move(*found));
    state_->memory.insert(key, artifact);
    return Hit{std::move(artifact), Origin::bundle};
  }
  if (!state_->user_cache) return std::nullopt;
  auto artifact = state_->user_cache->find(key);
  if (!artifact) return std::nullopt;
  state_->memory.insert(key, artifact);
  return Hit{std::move(artifact), Origin::user_cache};
}

Layers::Claim Layers::claim(const CacheKey& key, const std::function<bool()>& cancelled) {
  if (auto hit = find(key)) return {std::move(hit), {}};
  if (!state_->user_cache) return {};
  Claim claim{std::nullopt, state_->user_cache->acquire(key, cancelled)};
  claim.hit = find(key);
  if (claim.hit) {
    claim.lease.set_stored();
    claim.lease.release();
  }
  return claim;
}

std::shared_ptr<const Artifact> Layers::insert(const CacheKey& key, Artifact artifact, Provenance provenance,
                                               Lease lease) {
  auto shared = std::make_shared<const Artifact>(std::move(artifact));
  if (state_->user_cache) {
    shared = state_->user_cache->insert(key, std::move(shared), std::move(provenance), std::move(lease));
  }
  state_->memory.insert(key, shared);
  return shared;
}

void Layers::note_failed(const CacheKey& key, Artifact wanted, Lease lease) {
  if (state_->user_cache) state_->user_cache->note_failed(key, std::move(wanted), std::move(lease));
}

void Layers::flush() {
  if (state_->user_cache) state_->user_cache->flush();
}

std::vector<Store::ShippedSlice> Layers::slices() {
  std::vector<Store::ShippedSlice> all;
  std::set<std::string> sources;
  for (std::size_t bundle = 0; bundle < state_->bundles.size(); ++bundle) {
    for (Store::ShippedSlice& shipped : state_->bundles[bundle]->slices()) {
      shipped.bundle = bundle;
      if (sources.insert(shipped.head.source).second) all.push_back(std::move(shipped));
    }
  }
  return all;
}

Result<region::Slice> Layers::slice(const Store::ShippedSlice& shipped) {
  return state_->bundles.at(shipped.bundle)->slice(shipped.head.source);
}

std::optional<Layers::ShippedHit> Layers::find_shipped(const Store::ShippedSlice& shipped, const region::SmArch& arch,
                                                       region::Tier tier, const base::Digest& helper_library) {
  if (shipped.helper_library != helper_library) return std::nullopt;
  const auto code = std::ranges::find_if(
      shipped.code, [&](const Store::ShippedCode& other) { return other.arch == arch && other.tier == tier; });
  if (code == shipped.code.end()) return std::nullopt;
  auto found = state_->bundles.at(shipped.bundle)->shipped_artifact(*code);
  if (!found) return std::nullopt;
  return ShippedHit{std::make_shared<const Artifact>(std::move(*found)), code->key};
}

std::string_view to_string(Layers::Origin origin) {
  switch (origin) {
    case Layers::Origin::memory:
      return "memory";
    case Layers::Origin::bundle:
      return "bundle";
    case Layers::Origin::user_cache:
      return "user cache";
  }
  return "";
}

}  // namespace cudahot::cache
