#include "tools/cudahot-extract/deferred_signals.hpp"

namespace cudahot::extract_tool {
namespace {

volatile std::sig_atomic_t received = 0;

void remember(int signal) { received = signal; }

}  // namespace

DeferredSignals::DeferredSignals() {
  received = 0;
  struct sigaction action{};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &old_[i]);
    // Who ignores a signal goes on doing so.
    if (old_[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

DeferredSignals::~DeferredSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
  if (received != 0) std::raise(received);
}

}  // namespace cudahot::extract_tool
