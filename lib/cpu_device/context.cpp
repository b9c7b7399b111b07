#include "lib/cpu_device/context.hpp"

#include <algorithm>
#include <utility>

#include "lib/cpu_device/log.hpp"

namespace cudahot::cpu {

std::shared_ptr<Context> Context::create(unsigned flags) {
  std::shared_ptr<Context> context(new Context);
  context->flags = flags;
  context->default_stream_ = std::make_shared<Stream>(*context, 0U, 0);
  context->default_stream_->handle = CU_STREAM_LEGACY;
  HandleTable<Context>::instance().add(context);
  return context;
}

void Context::lose(CUresult code, std::string_view reason) {
  int expected = CUDA_SUCCESS;
  if (lost_.compare_exchange_strong(expected, code)) log_error(reason);
}

StreamPointer Context::add_stream(unsigned stream_flags, int priority) {
  auto stream = std::make_shared<Stream>(*this, stream_flags, priority);
  HandleTable<Stream>::instance().add(stream);
  const std::lock_guard lock(streams_mutex_);
  streams_.push_back(stream);
  return stream;
}

void Context::remove_stream(const StreamPointer& stream) {
  const std::lock_guard lock(streams_mutex_);
  std::erase(streams_, stream);
}

namespace {

// Streams of CU_STREAM_PER_THREAD of the calling thread, one a context.
struct ThreadStreams {
  struct Entry {
    std::weak_ptr<Context> context;
    StreamPointer stream;
  };
  std::vector<Entry> entries;

  StreamPointer of(const ContextPointer& context) {
    std::erase_if(entries, [](const Entry& entry) { return entry.context.expired(); });
    for (const Entry& entry : entries) {
      if (entry.context.lock() == context) return entry.stream;
    }
    return entries.emplace_back(Entry{context, context->add_stream(0, 0)}).stream;
  }

  ~ThreadStreams() {
    for (const Entry& entry : entries) {
      const ContextPointer context = entry.context.lock();
      if (context == nullptr) continue;
      HandleTable<Stream>::instance().remove(entry.stream->handle);
      entry.stream->synchronize();
      context->remove_stream(entry.stream);
    }
  }
};

}  // namespace

StreamPointer Context::stream(CUstream handle_of_stream) {
  if (handle_of_stream == nullptr || handle_of_stream == CU_STREAM_LEGACY) return default_stream_;
  if (handle_of_stream == CU_STREAM_PER_THREAD) {
    static thread_local ThreadStreams mine;
    return mine.of(shared_from_this());
  }
  StreamPointer found = find_handle<Stream>(handle_of_stream);
  if (found == nullptr) {
    misuse(CUDA_ERROR_INVALID_HANDLE, "a stream is used that does not exist, or was destroyed");
  } else if (&found->context() != this) {
    misuse(CUDA_ERROR_INVALID_HANDLE, "a stream is used while another context than its own is current");
    return nullptr;
  }
  return found;
}

std::vector<StreamPointer> Context::streams() const {
  const std::lock_guard lock(streams_mutex_);
  return streams_;
}

std::vector<TicketPointer> Context::pending() const {
  std::vector<TicketPointer> tickets;
  const std::lock_guard order(submission_);  // not between a submission and its order
  for (const StreamPointer& stream : streams()) {
    if (TicketPointer ticket = stream->last()) tickets.push_back(std::move(ticket));
  }
  if (TicketPointer ticket = default_stream_->last()) tickets.push_back(std::move(ticket));
  return tickets;
}

void Context::drain() const {
  for (const TicketPointer& ticket : pending()) ticket->wait();
}

void Context::add_implicit_dependencies(const Stream& stream, std::vector<TicketPointer>& after) const {
  if (&stream != default_stream_.get()) {
    if (!stream.blocking()) return;
    if (TicketPointer ticket = default_stream_->last()) after.push_back(std::move(ticket));
    return;
  }
  for (const StreamPointer& other : streams()) {
    if (!other->blocking()) continue;
    if (TicketPointer ticket = other->last()) after.push_back(std::move(ticket));
  }
}

}  // namespace cudahot::cpu
