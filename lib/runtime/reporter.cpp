#include "lib/runtime/reporter.hpp"

#include <cstdio>
#include <string>
#include <utility>

namespace cudahot::runtime {

Reporter::Reporter(LogCallback log, EventCallback on_event, std::optional<LogLevel> standard_error)
    : log_(std::move(log)), on_event_(std::move(on_event)), standard_error_(standard_error) {}

void Reporter::log(LogLevel level, std::string_view text) {
  const std::lock_guard lock(mutex_);
  log_locked(level, text);
}

void Reporter::log_locked(LogLevel level, std::string_view text) {
  if (standard_error_ && level >= *standard_error_) {
    const std::string line = std::string(text) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
  if (!log_) return;
  try {
    log_(level, text);
  } catch (...) {
  }
}

void Reporter::event(const ReloadEvent& event) {
  const std::lock_guard lock(mutex_);
  log_locked(event.kind == ReloadEvent::Kind::failed ? LogLevel::error : LogLevel::info, to_string(event));
  if (!on_event_) return;
  try {
    on_event_(event);
  } catch (...) {
  }
}

std::optional<LogLevel> parse_log_level(std::string_view text) {
  if (text == "debug") return LogLevel::debug;
  if (text == "info") return LogLevel::info;
  if (text == "warning") return LogLevel::warning;
  if (text == "error") return LogLevel::error;
  return std::nullopt;
}

}  // namespace cudahot::runtime
