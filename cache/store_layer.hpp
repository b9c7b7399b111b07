// StoreLayer: one database file as a layer, opened on first use and left alone while it is in trouble.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cache/store.hpp"
#include "cudahot/log.hpp"

namespace cudahot::cache {

// Passes each different warning on once. Thread safe.
class OnceLog {
 public:
  explicit OnceLog(LogCallback log) : log_(std::move(log)) {}
  void warn(std::string_view text);

 private:
  static constexpr std::size_t kMost = 1000;
  LogCallback log_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> said_;
};

// What a layer has said of its trouble: one warning, whoever meets it first. Thread safe.
class TroubleReport {
 public:
  TroubleReport(std::string name, OnceLog& log) : name_(std::move(name)), log_(&log) {}
  void say(const std::string& text);  // the first time only
  OnceLog& log() const { return *log_; }

 private:
  const std::string name_;
  OnceLog* const log_;
  std::mutex mutex_;
  bool said_ = false;
};

// Thread safe.
class StoreLayer {
 public:
  StoreLayer(std::filesystem::path file, Store::Mode mode, std::shared_ptr<TroubleReport> report,
             const Store::Settings& settings)
      : file_(std::move(file)), mode_(mode), report_(std::move(report)), settings_(settings) {}

  std::optional<Artifact> find(const CacheKey& key);
  // False: nothing is stored in it, since it is not used any more or is a bundle. Opens nothing.
  bool takes_entries();

  // Whether trouble is logged, or told by who asks.
  enum class Trouble { logged, returned };

  // What `action` gives for the store; where there is none to be used now, why. A failure to read turns the layer off,
  // or makes it pause where another process goes on holding the file.
  template <typename Action>
  auto read(Action&& action, Trouble trouble = Trouble::logged) -> decltype(action(std::declval<Store&>())) {
    const auto store = open_store(trouble);
    if (!store) return fail(store.error());
    auto result = action(**store);
    if (!result) report(result.error(), trouble);
    return result;
  }

  // The same for writing: a file that cannot be written can still be read, and is tried again the next time.
  template <typename Action>
  auto write(Action&& action) -> decltype(action(std::declval<Store&>())) {
    const auto store = open_store(Trouble::logged);
    if (!store) return fail(store.error());
    auto result = action(**store);
    if (!result) report_write(result.error());
    return result;
  }

 private:
  Result<std::shared_ptr<Store>> open_store(Trouble trouble);
  void report(const Error& error, Trouble trouble);
  void report_locked(const Error& error, Trouble trouble);
  void report_write(const Error& error);

  const std::filesystem::path file_;
  const Store::Mode mode_;
  const std::shared_ptr<TroubleReport> report_;
  const Store::Settings settings_;
  std::atomic<int> busy_ = 0;  // reads, one after the other
  std::mutex mutex_;           // guards what follows
  std::shared_ptr<Store> store_;
  std::optional<Error> off_;  // why it is not used any more
  std::chrono::steady_clock::time_point paused_until_{};
};

}  // namespace cudahot::cache
