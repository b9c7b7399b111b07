#include "cache/store_layer.hpp"

#include <utility>

#include <fmt/format.h>

namespace cudahot::cache {
namespace {

using Clock = std::chrono::steady_clock;

// How long a layer that was busy is left alone: what waits for a lock is the program's kernel. Having been busy for a
// short while now and then is nothing: many processes that start at once make a new cache.
constexpr std::chrono::seconds kBusyPause{5};
constexpr int kOftenBusy = 3;

}  // namespace

void OnceLog::warn(std::string_view text) {
  if (!log_) return;
  const std::lock_guard lock(mutex_);
  if (said_.size() < kMost && said_.emplace(text).second) log_(LogLevel::warning, text);
}

void TroubleReport::say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(said_, true)) log_->warn(fmt::format("{}: {}", name_, text));
}

std::optional<Artifact> StoreLayer::find(const CacheKey& key) {
  auto found = read([&](Store& store) { return store.find(key); });
  if (!found) return std::nullopt;
  busy_ = 0;
  return std::move(*found);
}

bool StoreLayer::takes_entries() {
  std::shared_ptr<Store> store;
  {
    const std::lock_guard lock(mutex_);
    if (off_) return false;
    store = store_;
  }
  if (store == nullptr) return true;
  const auto bundle = store->is_bundle();
  return !bundle || !*bundle;
}

Result<std::shared_ptr<Store>> StoreLayer::open_store(Trouble trouble) {
  const std::lock_guard lock(mutex_);
  if (off_) return fail(*off_);
  if (Clock::now() < paused_until_) {
    return fail(ErrorCode::busy, fmt::format("'{}' was busy and is left alone for a while", file_.string()));
  }
  if (!store_) {
    auto opened = Store::open(
        file_, mode_, [report = report_](LogLevel, std::string_view text) { report->say(std::string(text)); },
        settings_);
    if (!opened) {
      report_locked(opened.error(), trouble);
      return fail(opened.error());
    }
    store_ = std::make_shared<Store>(std::move(*opened));
  }
  return store_;
}

void StoreLayer::report(const Error& error, Trouble trouble) {
  const std::lock_guard lock(mutex_);
  report_locked(error, trouble);
}

void StoreLayer::report_locked(const Error& error, Trouble trouble) {
  if (error.code == ErrorCode::busy) {
    if (settings_.wait < kLongWait && ++busy_ < kOftenBusy) return;
    busy_ = 0;
    paused_until_ = Clock::now() + kBusyPause;
  } else {
    off_ = error;
    store_.reset();
  }
  if (trouble == Trouble::logged) report_->say(fmt::format("not used: {}", error.message));
}

void StoreLayer::report_write(const Error& error) {
  if (error.code == ErrorCode::busy) {
    const std::lock_guard lock(mutex_);
    paused_until_ = Clock::now() + kBusyPause;
  }
  report_->say(fmt::format("a compiled kernel was not stored: {}", error.message));
}

}  // namespace cudahot::cache
