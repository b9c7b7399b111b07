// Events: points in the work of a stream.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/ticket.hpp"

namespace cudahot::cpu {

class Capture;
struct GraphNode;

struct Event {
  CUevent handle = nullptr;
  CUcontext context = nullptr;
  unsigned flags = 0;

  // The last record of it in a stream, nullptr: none yet.
  TicketPointer record() const {
    const std::lock_guard lock(mutex);
    return ticket;
  }

  mutable std::mutex mutex;
  TicketPointer ticket;
  // When the last record was captured: what a wait for the event depends on. Guarded by the lock
  // of captures.
  std::shared_ptr<Capture> capture;
  std::vector<std::shared_ptr<GraphNode>> nodes;
};

}  // namespace cudahot::cpu
