// Engine: what a cudahot::Runtime owns. Sources, the context, the watcher and the thread that
// reloads. Knows neither the environment nor where slices and CUBINs come from.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/cudahot.hpp"
#include "lib/region/tier.hpp"
#include "lib/runtime/hot_source.hpp"
#include "lib/runtime/reload_thread.hpp"
#include "lib/runtime/reloader.hpp"
#include "lib/runtime/reporter.hpp"
#include "lib/runtime/retirement.hpp"
#include "lib/runtime/suppliers.hpp"
#include "lib/runtime/swapper.hpp"

namespace cudahot::runtime {

struct EngineSettings {
  Mode mode = Mode::automatic;
  region::Tier tier = region::Tier::full;
  CUcontext context = nullptr;  // nullptr: see Context::open
  RetirementLimits retirement;
  std::optional<std::chrono::milliseconds> poll;  // see WatcherOptions
};

// Thread safe.
class Engine {
 public:
  Engine(EngineSettings settings, Suppliers suppliers, std::shared_ptr<Reporter> reporter);
  // Stops reloading, makes slots empty, waits for the context, unloads.
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // See Runtime::kernel. The same slot for the same kernel.
  Result<std::shared_ptr<detail::Slot>> bind(std::string_view name, std::vector<detail::ParameterLayout> layout);

  // See Runtime::reload.
  Status reload();

 private:
  Status open();  // once, under mutex_
  Result<HotSource*> find(std::string_view kernel, std::string_view file);
  Status start(HotSource& source);   // under the source's reload_mutex
  Status follow(HotSource& source);  // under the source's reload_mutex; a failure is logged
  Result<std::shared_ptr<detail::Slot>> bind_in(HotSource& source, std::string_view kernel,
                                                std::vector<detail::ParameterLayout> layout);
  Status reload_now(HotSource& source);
  void report_death(const std::vector<HotSource*>& sources);

  const EngineSettings settings_;
  const Suppliers suppliers_;
  const std::shared_ptr<Reporter> reporter_;

  std::mutex mutex_;
  std::vector<std::unique_ptr<HotSource>> sources_;  // does not change once open
  std::unique_ptr<Swapper> swapper_;                 // set: open
  std::unique_ptr<Reloader> reloader_;
  std::unique_ptr<ReloadThread> thread_;  // automatic only
  bool death_reported_ = false;
  // Why edits are not taken up, of a source and of any: one fault of a bundle is one warning, however many sources it
  // has and however often they are asked for.
  std::set<std::string> told_;
};

}  // namespace cudahot::runtime
