// Streams: queues of work. Work of one stream runs in order, streams run beside each other, and
// the legacy default stream waits for the others and they for it.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "lib/cpu_device/driver_api.hpp"
#include "lib/cpu_device/ticket.hpp"

namespace cudahot::cpu {

class Context;
class Capture;

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  // `run` gets the state of the context (CUDA_SUCCESS, or why it is lost).
  using Run = std::function<void(CUresult state)>;

  Stream(Context& context, unsigned flags, int priority) : context_(context), flags_(flags), priority_(priority) {}

  CUstream handle = nullptr;

  Context& context() const { return context_; }
  unsigned flags() const { return flags_; }
  int priority() const { return priority_; }
  bool blocking() const { return (flags_ & CU_STREAM_NON_BLOCKING) == 0; }

  // Queues work that starts when what was queued here before and all of `after` are done. The
  // ticket is finished when it is. An empty `run` only waits.
  TicketPointer submit(Run run, std::vector<TicketPointer> after = {});
  // Ticket of what was queued last; nullptr if that is done.
  TicketPointer last() const;
  void synchronize() const;

  // The capture this stream is part of, else nullptr. Guarded by the capture's own lock.
  std::shared_ptr<Capture> capture;

 private:
  struct Operation {
    Run run;
    std::vector<TicketPointer> after;
    TicketPointer ticket;
  };

  static void drive(void* driven);

  Context& context_;
  const unsigned flags_;
  const int priority_;
  mutable std::mutex mutex_;
  std::deque<Operation> queue_;
  bool driven_ = false;  // a thread is taking operations out of the queue
  TicketPointer last_;
};
using StreamPointer = std::shared_ptr<Stream>;

// Whether the calling thread runs a host function of a stream, which must not call the driver.
bool in_host_function();
class HostFunctionScope {
 public:
  HostFunctionScope();
  ~HostFunctionScope();
};

}  // namespace cudahot::cpu
