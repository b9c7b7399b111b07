#include "lib/cpu_device/capture.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <unordered_set>

#include "lib/cpu_device/enqueue.hpp"

namespace cudahot::cpu {
namespace {

std::atomic<int> captures{0};
std::vector<std::shared_ptr<Capture>>& active() {
  static auto& the = *new std::vector<std::shared_ptr<Capture>>;
  return the;
}

thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

// Whether a call that could depend on unfinished work is unsafe in the calling thread.
bool endangers(const Capture& capture) {
  if (thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED || capture.mode == CU_STREAM_CAPTURE_MODE_RELAXED) return false;
  if (capture.thread == std::this_thread::get_id()) return true;
  return thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture.mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
}

cuuint64_t next_id() {
  static cuuint64_t id = 0;
  return ++id;
}

// Captures that the stream would wait for: the default stream does for blocking streams. Under graph_mutex().
std::vector<std::shared_ptr<Capture>> waited_for(const Stream& stream) {
  std::vector<std::shared_ptr<Capture>> found;
  if (stream.handle != CU_STREAM_LEGACY) return found;
  std::ranges::copy_if(active(), std::back_inserter(found), [&](const std::shared_ptr<Capture>& capture) {
    return std::ranges::any_of(capture->streams, [&](const StreamPointer& captured) {
      return &captured->context() == &stream.context() && captured->blocking();
    });
  });
  return found;
}

// Under graph_mutex().
CUresult refuse_implicit_wait(const Stream& stream) {
  const auto captures_waited_for = waited_for(stream);
  for (const auto& capture : captures_waited_for) capture->valid = false;
  return captures_waited_for.empty() ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
}

}  // namespace

Capture::Capture(GraphPointer into, const StreamPointer& stream, CUstreamCaptureMode how)
    : graph(std::move(into)), origin(stream), mode(how), id(next_id()) {}

void Capture::join(const StreamPointer& stream, const std::vector<GraphNodePointer>& nodes) {
  if (std::ranges::find(streams, stream) == streams.end()) streams.push_back(stream);
  std::vector<GraphNodePointer>& mine = heads[stream.get()];
  for (const GraphNodePointer& node : nodes) {
    if (std::ranges::find(mine, node) == mine.end()) mine.push_back(node);
  }
}

void Capture::record(Stream& stream, Work work) {
  std::vector<GraphNodePointer>& mine = heads[&stream];
  GraphNodePointer node = add_node(*graph, std::move(work), std::move(mine));
  mine = {std::move(node)};
}

bool Capture::joined() const {
  std::unordered_set<const GraphNode*> depended_on;
  for (const GraphNodePointer& node : graph->nodes) {
    for (const GraphNodePointer& before : node->dependencies) depended_on.insert(before.get());
  }
  const std::vector<GraphNodePointer>& ends = heads.at(origin.get());
  return std::ranges::all_of(graph->nodes, [&](const GraphNodePointer& node) {
    return depended_on.contains(node.get()) || std::ranges::find(ends, node) != ends.end();
  });
}

bool anything_captures() { return captures.load(std::memory_order_acquire) != 0; }

CUresult begin_capture(const StreamPointer& stream, CUstreamCaptureMode mode) {
  if (stream->handle == CU_STREAM_LEGACY) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  if (stream->capture != nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  auto graph = std::make_shared<Graph>();
  auto capture = std::make_shared<Capture>(std::move(graph), stream, mode);
  HandleTable<Graph>::instance().add(capture->graph);
  capture->join(stream, {});
  stream->capture = capture;
  active().push_back(std::move(capture));
  ++captures;
  return CUDA_SUCCESS;
}

CUresult end_capture(const StreamPointer& stream, GraphPointer& graph) {
  const std::shared_ptr<Capture> capture = stream->capture;
  if (capture == nullptr) return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != stream) return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  if (capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED && capture->thread != std::this_thread::get_id()) {
    return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
  }
  for (const StreamPointer& member : capture->streams) member->capture = nullptr;
  std::erase(active(), capture);
  --captures;
  CUresult code = CUDA_SUCCESS;
  if (!capture->valid) code = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  else if (!capture->joined()) code = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  capture->valid = false;  // events that were recorded in it cannot be waited for any more
  if (code == CUDA_SUCCESS) graph = capture->graph;
  else HandleTable<Graph>::instance().remove(capture->graph->handle);
  return code;
}

void drop_captures(const Context& context) {
  const auto dropped = std::erase_if(active(), [&](const std::shared_ptr<Capture>& capture) {
    if (&capture->origin->context() != &context) return false;
    for (const StreamPointer& member : capture->streams) member->capture = nullptr;
    capture->valid = false;
    HandleTable<Graph>::instance().remove(capture->graph->handle);
    return true;
  });
  captures -= static_cast<int>(dropped);
}

CUresult record_captured(const StreamPointer& stream, Event& event, bool& handled) {
  handled = false;
  if (const CUresult code = refuse_implicit_wait(*stream); code != CUDA_SUCCESS) return code;
  const std::shared_ptr<Capture>& capture = stream->capture;
  if (capture == nullptr) {
    event.capture = nullptr;
    event.nodes.clear();
    return CUDA_SUCCESS;
  }
  handled = true;
  if (!capture->valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  event.capture = capture;
  event.nodes = capture->heads[stream.get()];
  return CUDA_SUCCESS;
}

CUresult wait_captured(const StreamPointer& stream, const Event& event, bool& handled) {
  handled = true;
  const std::shared_ptr<Capture>& mine = stream->capture;
  if (event.capture == nullptr) {
    handled = false;
    if (mine == nullptr) return refuse_implicit_wait(*stream);
    mine->valid = false;
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  if (!event.capture->valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (stream->handle == CU_STREAM_LEGACY) {
    event.capture->valid = false;
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (mine != nullptr && mine != event.capture) {
    mine->valid = false;
    event.capture->valid = false;
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  stream->capture = event.capture;
  event.capture->join(stream, event.nodes);
  return CUDA_SUCCESS;
}

CUresult refuse_while_capturing(Stream& stream) {
  if (!anything_captures()) return CUDA_SUCCESS;
  const std::lock_guard lock(graph_mutex());
  if (stream.capture == nullptr) return refuse_implicit_wait(stream);
  stream.capture->valid = false;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult refuse_while_any_capture() {
  if (!anything_captures()) return CUDA_SUCCESS;
  const std::lock_guard lock(graph_mutex());
  CUresult code = CUDA_SUCCESS;
  for (const auto& capture : active()) {
    if (!endangers(*capture)) continue;
    capture->valid = false;
    code = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  return code;
}

CUresult enqueue(Context& context, Stream& stream, Work work, TicketPointer* ticket) {
  if (const CUresult code = check(context, work); code != CUDA_SUCCESS) return code;
  if (anything_captures()) {
    const std::lock_guard lock(graph_mutex());
    if (const CUresult code = refuse_implicit_wait(stream); code != CUDA_SUCCESS) return code;
    if (stream.capture != nullptr) {
      if (!stream.capture->valid) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
      stream.capture->record(stream, std::move(work));
      return CUDA_SUCCESS;
    }
  }
  TicketPointer queued = stream.submit([&context, work = std::move(work)](CUresult state) {
    if (state == CUDA_SUCCESS) run(context, work);
  });
  if (ticket != nullptr) *ticket = std::move(queued);
  return CUDA_SUCCESS;
}

CUresult enqueue(Context& context, CUstream handle, Work work) {
  const StreamPointer stream = context.stream(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return enqueue(context, *stream, std::move(work));
}

}  // namespace cudahot::cpu

using cudahot::cpu::Entry;
using cudahot::cpu::GraphPointer;
using cudahot::cpu::StreamPointer;

CUresult cuStreamBeginCapture(CUstream handle, CUstreamCaptureMode mode) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const StreamPointer stream = entry->stream(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const std::lock_guard lock(cudahot::cpu::graph_mutex());
  return cudahot::cpu::begin_capture(stream, mode);
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph* result) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const StreamPointer stream = entry->stream(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(cudahot::cpu::graph_mutex());
  GraphPointer graph;
  const CUresult code = cudahot::cpu::end_capture(stream, graph);
  *result = graph == nullptr ? nullptr : graph->handle;
  return code;
}

CUresult cuStreamIsCapturing(CUstream handle, CUstreamCaptureStatus* status) {
  return cuStreamGetCaptureInfo(handle, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}

CUresult cuStreamGetCaptureInfo(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                const CUgraphNode** dependencies, const CUgraphEdgeData** edges, std::size_t* count) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const StreamPointer stream = entry->stream(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (status == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(cudahot::cpu::graph_mutex());
  // As a driver does, which leaves the capture valid.
  if (!cudahot::cpu::waited_for(*stream).empty()) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  const auto& capture = stream->capture;
  *status = capture == nullptr ? CU_STREAM_CAPTURE_STATUS_NONE
            : capture->valid   ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                               : CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return CUDA_SUCCESS;
  capture->reported.clear();
  for (const auto& node : capture->heads[stream.get()]) capture->reported.push_back(node->handle);
  if (id != nullptr) *id = capture->id;
  if (graph != nullptr) *graph = capture->graph->handle;
  if (dependencies != nullptr) *dependencies = capture->reported.data();
  if (edges != nullptr) *edges = nullptr;
  if (count != nullptr) *count = capture->reported.size();
  return CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode* mode) {
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::swap(*mode, cudahot::cpu::thread_mode);
  return CUDA_SUCCESS;
}
