#include "lib/cpu_device/stream.hpp"

#include <utility>

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/workers.hpp"

namespace cudahot::cpu {
namespace {

thread_local int host_functions = 0;

// Both live as long as work of the stream runs.
struct Driven {
  ContextPointer context;
  StreamPointer stream;
};

}  // namespace

bool in_host_function() { return host_functions != 0; }
HostFunctionScope::HostFunctionScope() { ++host_functions; }
HostFunctionScope::~HostFunctionScope() { --host_functions; }

TicketPointer Stream::submit(Run run, std::vector<TicketPointer> after) {
  auto ticket = std::make_shared<Ticket>();
  bool start = false;
  {
    const std::lock_guard order(context_.submission());
    context_.add_implicit_dependencies(*this, after);
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(run), std::move(after), ticket});
    last_ = ticket;
    start = !std::exchange(driven_, true);
  }
  if (start) run_on_stream_thread(&Stream::drive, new Driven{context_.shared_from_this(), shared_from_this()});
  return ticket;
}

void Stream::drive(void* argument) {
  const std::unique_ptr<Driven> driven(static_cast<Driven*>(argument));
  Stream& stream = *driven->stream;
  for (;;) {
    Operation operation;
    {
      const std::lock_guard lock(stream.mutex_);
      if (stream.queue_.empty()) {
        stream.driven_ = false;
        return;
      }
      operation = std::move(stream.queue_.front());
      stream.queue_.pop_front();
    }
    for (const TicketPointer& before : operation.after) before->wait();
    if (operation.run) operation.run(driven->context->state());
    operation.run = nullptr;  // what it holds is released before anybody is told
    operation.ticket->finish();
  }
}

TicketPointer Stream::last() const {
  const std::lock_guard lock(mutex_);
  return last_ == nullptr || last_->done() ? nullptr : last_;
}

void Stream::synchronize() const {
  if (const TicketPointer ticket = last()) ticket->wait();
}

}  // namespace cudahot::cpu
