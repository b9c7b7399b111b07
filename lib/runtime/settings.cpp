#include "lib/runtime/settings.hpp"

#include <charconv>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lib/base/paths.hpp"
#include "lib/runtime/reporter.hpp"

namespace cudahot::runtime {
namespace {

tl::unexpected<Error> refused(const char* variable, const std::string& value, std::string_view accepted) {
  return fail(ErrorCode::usage, fmt::format("{} is '{}'; accepted: {}", variable, value, accepted));
}

Result<Mode> parse_mode(const std::string& text) {
  if (text == "auto" || text == "automatic") return Mode::automatic;
  if (text == "manual") return Mode::manual;
  if (text == "off") return Mode::off;
  return refused("CUDAHOT_MODE", text, "auto, manual, off");
}

Result<Device> parse_device(const std::string& text) {
  if (text == "gpu") return Device::gpu;
  if (text == "cpu") return Device::cpu;
  return refused("CUDAHOT_DEVICE", text, "gpu, cpu");
}

Result<std::chrono::milliseconds> parse_poll(const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 1 || value > 3'600'000) {
    return refused("CUDAHOT_POLL", text, "an interval in milliseconds, 1 to 3600000");
  }
  return std::chrono::milliseconds(value);
}

}  // namespace

Result<Settings> resolve_settings(const RuntimeOptions& options, const Environment& environment) {
  Settings settings;
  settings.engine.context = options.context;
  settings.toolkit = options.toolkit;
  settings.extractor = options.extractor;
  if (options.mode) {
    settings.engine.mode = *options.mode;
  } else if (const auto text = environment("CUDAHOT_MODE")) {
    const auto mode = parse_mode(*text);
    if (!mode) return fail(mode.error());
    settings.engine.mode = *mode;
  }
  if (options.device) {
    settings.device = *options.device;
  } else if (const auto text = environment("CUDAHOT_DEVICE")) {
    const auto device = parse_device(*text);
    if (!device) return fail(device.error());
    settings.device = *device;
  }
  if (const auto text = environment("CUDAHOT_TIER")) {
    const auto tier = region::parse_tier(*text);
    if (!tier) return refused("CUDAHOT_TIER", *text, "quick, full");
    settings.engine.tier = *tier;
  }
  if (const auto text = environment("CUDAHOT_POLL")) {
    const auto poll = parse_poll(*text);
    if (!poll) return fail(poll.error());
    settings.engine.poll = *poll;
  }
  if (const auto text = environment("CUDAHOT_BUNDLE")) {
    std::string_view rest = *text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (end > 0) settings.bundles.emplace_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  settings.bundles.insert(settings.bundles.end(), options.bundles.begin(), options.bundles.end());
  settings.user_cache = options.user_cache;
  if (!settings.user_cache) {
    if (auto path = base::user_cache_path()) settings.user_cache = std::move(*path);
  }
  const auto gc = cache::gc_policy(environment);
  if (!gc) return fail(gc.error());
  settings.gc = *gc;
  return settings;
}

Result<std::optional<LogLevel>> resolve_log_level(const Environment& environment) {
  const auto text = environment("CUDAHOT_LOG");
  if (!text) return std::optional<LogLevel>();
  const auto level = parse_log_level(*text);
  if (!level) return refused("CUDAHOT_LOG", *text, "debug, info, warning, error");
  return level;
}

}  // namespace cudahot::runtime
