// Stream capture: streams whose work is recorded into a graph instead of being run.
#pragma once

#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/event.hpp"
#include "lib/cpu_device/graph.hpp"

namespace cudahot::cpu {

// All members are guarded by graph_mutex().
class Capture {
 public:
  Capture(GraphPointer graph, const StreamPointer& origin, CUstreamCaptureMode mode);

  bool valid = true;
  const GraphPointer graph;
  const StreamPointer origin;
  const CUstreamCaptureMode mode;
  const std::thread::id thread = std::this_thread::get_id();
  const cuuint64_t id;

  // What the next work of a stream depends on.
  std::unordered_map<Stream*, std::vector<GraphNodePointer>> heads;
  std::vector<StreamPointer> streams;  // that are part of it, the origin first
  std::vector<CUgraphNode> reported;   // heads, as handed out by cuStreamGetCaptureInfo

  void join(const StreamPointer& stream, const std::vector<GraphNodePointer>& nodes);
  void record(Stream& stream, Work work);
  // Whether all recorded work leads to the heads of the origin.
  bool joined() const;
};

// Fast: false as long as nobody captures.
bool anything_captures();

// All under graph_mutex().
CUresult begin_capture(const StreamPointer& stream, CUstreamCaptureMode mode);
CUresult end_capture(const StreamPointer& stream, GraphPointer& graph);
// Records of, and waits for, events. `handled`: it belonged to a capture, nothing is to be queued.
CUresult record_captured(const StreamPointer& stream, Event& event, bool& handled);
CUresult wait_captured(const StreamPointer& stream, const Event& event, bool& handled);

}  // namespace cudahot::cpu
