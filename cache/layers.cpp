#include "cache/layers.hpp"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "cache/memory_layer.hpp"

namespace cudahot::cache {
namespace {

using Clock = std::chrono::steady_clock;

// How long a layer that was busy is left alone: what waits for a lock is the program's kernel.
constexpr std::chrono::seconds kBusyPause{5};

// Passes each different warning on once.
class OnceLog {
 public:
  explicit OnceLog(LogCallback log) : log_(std::move(log)) {}

  void warn(std::string_view text) {
    if (!log_) return;
    const std::lock_guard lock(mutex_);
    if (said_.size() < kMost && said_.emplace(text).second) log_(LogLevel::warning, text);
  }

 private:
  static constexpr std::size_t kMost = 1000;
  LogCallback log_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> said_;
};

// One database file as a layer: opened on first use, left alone once it is in trouble.
class StoreLayer {
 public:
  StoreLayer(std::filesystem::path file, Store::Mode mode, std::string name, OnceLog& log)
      : file_(std::move(file)), mode_(mode), name_(std::move(name)), log_(&log) {}

  std::optional<Artifact> find(const CacheKey& key) {
    auto found = use([&](Store& store) { return store.find(key); });
    return found ? std::move(*found) : std::nullopt;
  }

  // A cache that cannot be written to can still be read.
  void insert(const CacheKey& key, const Artifact& artifact) {
    const auto store = open_store();
    if (store == nullptr) return;
    const auto done = store->insert(key, artifact);
    if (done) return;
    if (done.error().code == ErrorCode::busy) pause();
    if (!insert_failed_.exchange(true)) {
      log_->warn(fmt::format("{}: a compiled kernel was not stored: {}", name_, done.error().message));
    }
  }

  std::vector<Store::StoredSlice> slices() {
    auto found = use([](Store& store) { return store.slices(); });
    return found ? std::move(*found) : std::vector<Store::StoredSlice>{};
  }

 private:
  // The layer's store, if it can be used now.
  std::shared_ptr<Store> open_store() {
    const std::lock_guard lock(mutex_);
    if (off_ || Clock::now() < paused_until_) return nullptr;
    if (!store_) {
      auto opened = Store::open(file_, mode_, [this](LogLevel, std::string_view text) { log_->warn(text); });
      if (!opened) {
        report(opened.error());
        return nullptr;
      }
      store_ = std::make_shared<Store>(std::move(*opened));
    }
    return store_;
  }

  template <typename Action>
  auto use(Action&& action) -> decltype(action(std::declval<Store&>())) {
    const auto store = open_store();
    if (store == nullptr) return fail(ErrorCode::not_found, "layer is not in use");
    auto result = action(*store);
    if (!result) {
      const std::lock_guard lock(mutex_);
      report(result.error());
    }
    return result;
  }

  // With mutex_ held.
  void report(const Error& error) {
    if (error.code == ErrorCode::busy) {
      paused_until_ = Clock::now() + kBusyPause;
    } else {
      off_ = true;
      store_.reset();
    }
    if (!std::exchange(reported_, true)) log_->warn(fmt::format("{}: not used: {}", name_, error.message));
  }

  void pause() {
    const std::lock_guard lock(mutex_);
    paused_until_ = Clock::now() + kBusyPause;
  }

  const std::filesystem::path file_;
  const Store::Mode mode_;
  const std::string name_;
  OnceLog* const log_;
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<Store> store_;
  bool off_ = false;
  bool reported_ = false;
  std::atomic<bool> insert_failed_ = false;
  Clock::time_point paused_until_{};
};

}  // namespace

struct Layers::State {
  explicit State(LayersOptions options) : log(std::move(options.log)), memory(options.memory_bytes) {
    for (auto& file : options.bundles) {
      bundles.push_back(std::make_unique<StoreLayer>(std::move(file), Store::Mode::read_only, "bundle", log));
    }
    if (options.user_cache) {
      user_cache = std::make_unique<StoreLayer>(std::move(*options.user_cache), Store::Mode::read_write, "cache", log);
    }
  }

  OnceLog log;
  MemoryLayer memory;
  std::vector<std::unique_ptr<StoreLayer>> bundles;
  std::unique_ptr<StoreLayer> user_cache;  // may be none
};

Layers::Layers(LayersOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Layers::~Layers() = default;

std::optional<Layers::Hit> Layers::find(const CacheKey& key) {
  if (auto artifact = state_->memory.find(key)) return Hit{std::move(artifact), Origin::memory};
  const auto keep = [&](Artifact&& found, Origin origin) {
    auto artifact = std::make_shared<const Artifact>(std::move(found));
    state_->memory.insert(key, artifact);
    return Hit{std::move(artifact), origin};
  };
  for (const auto& bundle : state_->bundles) {
    if (auto found = bundle->find(key)) return keep(std::move(*found), Origin::bundle);
  }
  if (state_->user_cache) {
    if (auto found = state_->user_cache->find(key)) return keep(std::move(*found), Origin::user_cache);
  }
  return std::nullopt;
}

void Layers::insert(const CacheKey& key, Artifact artifact) {
  const auto shared = std::make_shared<const Artifact>(std::move(artifact));
  state_->memory.insert(key, shared);
  if (state_->user_cache) state_->user_cache->insert(key, *shared);
}

std::vector<Store::StoredSlice> Layers::slices() {
  std::vector<Store::StoredSlice> all;
  std::set<std::string> sources;
  for (std::size_t bundle = 0; bundle < state_->bundles.size(); ++bundle) {
    for (Store::StoredSlice& stored : state_->bundles[bundle]->slices()) {
      stored.bundle = bundle;
      if (sources.insert(region::main_file(stored.slice).path).second) all.push_back(std::move(stored));
    }
  }
  return all;
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
