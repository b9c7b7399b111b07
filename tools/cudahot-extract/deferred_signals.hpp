// Signals that end the program wait while an output is being written.
#pragma once

#include <csignal>

#include <array>

namespace cudahot::extract_tool {

// Not nested, one at a time. A signal that came meanwhile takes effect on destruction.
class DeferredSignals {
 public:
  DeferredSignals();
  ~DeferredSignals();
  DeferredSignals(const DeferredSignals&) = delete;
  DeferredSignals& operator=(const DeferredSignals&) = delete;

 private:
  static constexpr std::array<int, 3> kSignals = {SIGINT, SIGTERM, SIGHUP};
  std::array<struct sigaction, kSignals.size()> old_{};
};

}  // namespace cudahot::extract_tool
