// Settings: RuntimeOptions and the environment, made into what the parts of the runtime need.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cache/gc.hpp"
#include "cudahot/cudahot.hpp"
#include "lib/region/tier.hpp"
#include "lib/runtime/engine.hpp"

namespace cudahot::runtime {

struct Settings {
  EngineSettings engine;
  Device device = Device::gpu;
  std::vector<std::filesystem::path> bundles;
  std::optional<std::filesystem::path> user_cache;  // nullopt: none is to be had
  cache::GcPolicy gc;                               // of the user cache
  std::optional<std::filesystem::path> toolkit;
  std::optional<std::filesystem::path> extractor;
};

// An environment variable, as base::environment.
using Environment = std::function<std::optional<std::string>(const char* name)>;

// The options win over the environment, but $CUDAHOT_BUNDLE comes before options.bundles.
// Errors: usage, naming the variable, its value and what is accepted.
Result<Settings> resolve_settings(const RuntimeOptions& options, const Environment& environment);

// nullopt: not set. Errors: usage.
Result<std::optional<LogLevel>> resolve_log_level(const Environment& environment);

}  // namespace cudahot::runtime
