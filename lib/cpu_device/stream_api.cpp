// cuStream* without capture, cuEvent*, cuCtxSynchronize
#include <chrono>

#include "lib/cpu_device/capture.hpp"
#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/enqueue.hpp"
#include "lib/cpu_device/event.hpp"
#include "lib/cpu_device/log.hpp"

using cudahot::cpu::Entry;
using cudahot::cpu::Event;
using cudahot::cpu::find_handle;
using cudahot::cpu::HandleTable;
using cudahot::cpu::Stream;
using cudahot::cpu::StreamPointer;
using cudahot::cpu::Ticket;
using cudahot::cpu::TicketPointer;

CUresult cuCtxSynchronize() {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (const CUresult code = cudahot::cpu::refuse_while_any_capture(); code != CUDA_SUCCESS) return code;
  entry->drain();
  return entry->state();
}

CUresult cuStreamCreateWithPriority(CUstream* result, unsigned int flags, int priority) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (result == nullptr || (flags & ~unsigned{CU_STREAM_NON_BLOCKING}) != 0) return CUDA_ERROR_INVALID_VALUE;
  *result = entry->add_stream(flags, priority)->handle;
  return CUDA_SUCCESS;
}

CUresult cuStreamCreate(CUstream* result, unsigned int flags) { return cuStreamCreateWithPriority(result, flags, 0); }

namespace {

template <typename Use>
CUresult use_stream(CUstream handle, Use use) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const StreamPointer stream = entry->stream(handle);
  return stream == nullptr ? CUDA_ERROR_INVALID_HANDLE : use(entry, stream);
}

// Calls that a stream which is recorded cannot answer.
template <typename Use>
CUresult use_unrecorded(CUstream handle, Use use) {
  return use_stream(handle, [&](const Entry& entry, const StreamPointer& stream) {
    const CUresult code = cudahot::cpu::refuse_while_capturing(*stream);
    return code == CUDA_SUCCESS ? use(entry, stream) : code;
  });
}

template <typename Value, typename Read>
CUresult read_stream(CUstream handle, Value* value, Read read) {
  return use_stream(handle, [&](const Entry&, const StreamPointer& stream) {
    if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *value = read(*stream);
    return CUDA_SUCCESS;
  });
}

}  // namespace

// As in the driver the handle goes at once, and the stream when its work is done.
CUresult cuStreamDestroy(CUstream handle) {
  if (handle == nullptr || handle == CU_STREAM_LEGACY || handle == CU_STREAM_PER_THREAD) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  return use_unrecorded(handle, [&](const Entry& entry, const StreamPointer& stream) {
    HandleTable<Stream>::instance().remove(handle);
    stream->submit([context = entry.context(), stream](CUresult) { context->remove_stream(stream); });
    return CUDA_SUCCESS;
  });
}

CUresult cuStreamSynchronize(CUstream handle) {
  return use_unrecorded(handle, [](const Entry& entry, const StreamPointer& stream) {
    stream->synchronize();
    return entry->state();
  });
}

CUresult cuStreamQuery(CUstream handle) {
  return use_unrecorded(handle, [](const Entry& entry, const StreamPointer& stream) {
    return stream->last() == nullptr ? entry->state() : CUDA_ERROR_NOT_READY;
  });
}

CUresult cuStreamGetFlags(CUstream handle, unsigned int* flags) {
  return read_stream(handle, flags, [](const Stream& stream) { return stream.flags(); });
}

CUresult cuStreamGetPriority(CUstream handle, int* priority) {
  return read_stream(handle, priority, [](const Stream& stream) { return stream.priority(); });
}

CUresult cuStreamGetId(CUstream handle, unsigned long long* id) {
  return read_stream(handle, id, [](const Stream& stream) { return reinterpret_cast<std::uintptr_t>(stream.handle); });
}

CUresult cuStreamGetCtx(CUstream handle, CUcontext* context) {
  return read_stream(handle, context, [](const Stream&) { return cudahot::cpu::context_stack().back(); });
}

CUresult cuStreamAddCallback(CUstream handle, CUstreamCallback callback, void* user, unsigned int flags) {
  if (callback == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return use_unrecorded(handle, [&](const Entry&, const StreamPointer& stream) {
    // Unlike host functions it is also called when the context is lost.
    stream->submit([handle, callback, user](CUresult state) {
      const cudahot::cpu::HostFunctionScope scope;
      callback(handle, state, user);
    });
    return CUDA_SUCCESS;
  });
}

namespace {

std::shared_ptr<Event> event_of(CUevent handle) {
  auto event = find_handle<Event>(handle);
  if (event == nullptr) {
    cudahot::cpu::misuse(CUDA_ERROR_INVALID_HANDLE, "an event is used that does not exist, or was destroyed");
  }
  return event;
}

// Calls about the work that was recorded last, of which there may be none. The context's state is the answer of
// those that succeed.
template <typename Ask>
CUresult ask_event(CUevent handle, Ask ask) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto event = event_of(handle);
  if (event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (cudahot::cpu::anything_captures()) {
    const std::lock_guard lock(cudahot::cpu::graph_mutex());
    if (event->capture != nullptr && event->capture->valid) {
      event->capture->valid = false;
      return CUDA_ERROR_CAPTURED_EVENT;
    }
  }
  const TicketPointer ticket = event->record();
  const CUresult code = ticket == nullptr ? CUDA_SUCCESS : ask(*ticket);
  return code == CUDA_SUCCESS ? entry->state() : code;
}

}  // namespace

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned int) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const StreamPointer stream = entry->stream(handle);
  const auto event = event_of(event_handle);
  if (stream == nullptr || event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (cudahot::cpu::anything_captures()) {
    const std::lock_guard lock(cudahot::cpu::graph_mutex());
    bool handled = false;
    const CUresult code = cudahot::cpu::wait_captured(stream, *event, handled);
    if (handled || code != CUDA_SUCCESS) return code;
  }
  if (TicketPointer ticket = event->record(); ticket != nullptr && !ticket->done()) {
    stream->submit(nullptr, {std::move(ticket)});
  }
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* result, unsigned int flags) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  constexpr unsigned kKnown = CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING;
  if ((flags & CU_EVENT_INTERPROCESS) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  if (result == nullptr || (flags & ~kKnown) != 0) return CUDA_ERROR_INVALID_VALUE;
  auto event = std::make_shared<Event>();
  event->context = entry->handle;
  event->flags = flags;
  *result = HandleTable<Event>::instance().add(std::move(event));
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent handle) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  return HandleTable<Event>::instance().remove(handle) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent event_handle, CUstream handle, unsigned int flags) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (flags != CU_EVENT_RECORD_DEFAULT) return CUDA_ERROR_NOT_SUPPORTED;
  const StreamPointer stream = entry->stream(handle);
  const auto event = event_of(event_handle);
  if (stream == nullptr || event == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (event->context != entry->handle) {
    return cudahot::cpu::misuse(CUDA_ERROR_INVALID_HANDLE,
                                "an event is recorded in a stream of another context than its own");
  }
  {
    const std::lock_guard lock(cudahot::cpu::graph_mutex());
    bool handled = false;
    const CUresult code = cudahot::cpu::record_captured(stream, *event, handled);
    if (handled || code != CUDA_SUCCESS) return code;
  }
  TicketPointer ticket = stream->submit(nullptr);
  const std::lock_guard lock(event->mutex);
  event->ticket = std::move(ticket);
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT);
}

CUresult cuEventQuery(CUevent handle) {
  return ask_event(handle, [](const Ticket& ticket) { return ticket.done() ? CUDA_SUCCESS : CUDA_ERROR_NOT_READY; });
}

CUresult cuEventSynchronize(CUevent handle) {
  return ask_event(handle, [](const Ticket& ticket) {
    ticket.wait();
    return CUDA_SUCCESS;
  });
}

CUresult cuEventElapsedTime(float* milliseconds, CUevent start_handle, CUevent end_handle) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (milliseconds == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto start = event_of(start_handle);
  const auto end = event_of(end_handle);
  if (start == nullptr || end == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) != 0) return CUDA_ERROR_INVALID_HANDLE;
  const TicketPointer from = start->record();
  const TicketPointer to = end->record();
  if (from == nullptr || to == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (!from->done() || !to->done()) return CUDA_ERROR_NOT_READY;
  *milliseconds = std::chrono::duration<float, std::milli>(to->time() - from->time()).count();
  return CUDA_SUCCESS;
}
