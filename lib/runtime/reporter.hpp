// Reporter: the two callbacks of a Runtime, one call at a time.
#pragma once

#include <mutex>
#include <optional>
#include <string_view>

#include "cudahot/cudahot.hpp"
#include "cudahot/log.hpp"

namespace cudahot::runtime {

// Thread safe. What a callback throws is swallowed: there is no one to catch it.
class Reporter {
 public:
  // `standard_error`: also write log lines of at least this level there. The one place where
  // the libraries write by themselves, and only because the user set CUDAHOT_LOG.
  Reporter(LogCallback log, EventCallback on_event, std::optional<LogLevel> standard_error);

  void log(LogLevel level, std::string_view text);
  // To the event callback, and as a line to the log.
  void event(const ReloadEvent& event);

 private:
  void log_locked(LogLevel level, std::string_view text);

  std::mutex mutex_;
  LogCallback log_;
  EventCallback on_event_;
  std::optional<LogLevel> standard_error_;
};

// "debug", "info", "warning", "error".
std::optional<LogLevel> parse_log_level(std::string_view text);

}  // namespace cudahot::runtime
