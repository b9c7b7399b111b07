// Graphs and executable graphs: cuGraphCreate, cuGraphInstantiate, cuGraphLaunch, cuGraphExec*
#include <algorithm>
#include <unordered_map>

#include "lib/cpu_device/capture.hpp"
#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/enqueue.hpp"
#include "lib/cpu_device/graph.hpp"
#include "lib/cpu_device/graph_parameters.hpp"
#include "lib/cpu_device/log.hpp"

using namespace cudahot::cpu;  // NOLINT: this file only defines the driver's functions over it

namespace {

using Steps = std::vector<GraphStep>;

CUresult unknown(const char* what) { return misuse(CUDA_ERROR_INVALID_VALUE, what); }
CUresult unknown_graph() { return unknown("a graph is used that does not exist, or was destroyed"); }
CUresult unknown_exec() { return unknown("an executable graph is used that does not exist, or was destroyed"); }

CUresult make_steps(const Graph& graph, Steps& steps) {
  const std::vector<GraphNodePointer> nodes = in_order(graph);
  if (nodes.size() != graph.nodes.size()) return CUDA_ERROR_INVALID_VALUE;  // a cycle
  for (const GraphNodePointer& node : nodes) {
    GraphStep& step = steps.emplace_back();
    step.node = node->handle;
    step.work = node->work;
    for (const GraphNodePointer& before : node->dependencies) step.dependencies.push_back(before->handle);
  }
  return CUDA_SUCCESS;
}

// Replaces the work of the step of a node, of which only the parameters may change.
template <typename Kind>
CUresult change_step(CUgraphExec handle, CUgraphNode node, Kind work) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (const CUresult code = check(*entry, work); code != CUDA_SUCCESS) return code;
  const auto exec = find_handle<GraphExec>(handle);
  if (exec == nullptr) return unknown_exec();
  const std::lock_guard lock(exec->mutex);
  auto steps = std::make_shared<Steps>(*exec->steps);
  const auto step = std::ranges::find(*steps, node, &GraphStep::node);
  if (step == steps->end() || !std::holds_alternative<Kind>(step->work)) return CUDA_ERROR_INVALID_VALUE;
  step->work = std::move(work);
  exec->steps = std::move(steps);
  return CUDA_SUCCESS;
}

std::shared_ptr<const Steps> steps_of(const GraphExec& exec) {
  auto& changing = const_cast<GraphExec&>(exec);
  const std::lock_guard lock(changing.mutex);
  return exec.steps;
}

}  // namespace

CUresult cuGraphCreate(CUgraph* result, unsigned int flags) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (result == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *result = HandleTable<Graph>::instance().add(std::make_shared<Graph>());
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph handle) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  const std::lock_guard lock(graph_mutex());
  const GraphPointer graph = HandleTable<Graph>::instance().remove(handle);
  if (graph == nullptr) return unknown_graph();
  for (const GraphNodePointer& node : graph->nodes) {
    HandleTable<GraphNode>::instance().remove(node->handle);
    node->dependencies.clear();  // which may form a cycle
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes, std::size_t* count) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(graph_mutex());
  const GraphPointer graph = find_handle<Graph>(handle);
  if (graph == nullptr) return unknown_graph();
  list_nodes(graph->nodes, nodes, *count);
  return CUDA_SUCCESS;
}

CUresult cuGraphAddDependencies(CUgraph handle, const CUgraphNode* from, const CUgraphNode* to, const CUgraphEdgeData*,
                                std::size_t count) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  const std::lock_guard lock(graph_mutex());
  if (find_handle<Graph>(handle) == nullptr) return unknown_graph();
  for (std::size_t index = 0; index < count; ++index) {
    const GraphNodePointer before = find_handle<GraphNode>(from[index]);
    const GraphNodePointer after = find_handle<GraphNode>(to[index]);
    if (before == nullptr || after == nullptr || before->graph != handle || after->graph != handle) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    if (std::ranges::find(after->dependencies, before) != after->dependencies.end()) return CUDA_ERROR_INVALID_VALUE;
    after->dependencies.push_back(before);
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphInstantiate(CUgraphExec* result, CUgraph handle, unsigned long long flags) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  constexpr unsigned long long kHarmless =
      CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if ((flags & ~kHarmless) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  const std::lock_guard lock(graph_mutex());
  const GraphPointer graph = find_handle<Graph>(handle);
  if (graph == nullptr) return unknown_graph();
  auto steps = std::make_shared<Steps>();
  if (const CUresult code = make_steps(*graph, *steps); code != CUDA_SUCCESS) return code;
  auto exec = std::make_shared<GraphExec>();
  exec->steps = std::move(steps);
  *result = HandleTable<GraphExec>::instance().add(std::move(exec));
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  return HandleTable<GraphExec>::instance().remove(handle) == nullptr ? unknown_exec() : CUDA_SUCCESS;
}

CUresult cuGraphUpload(CUgraphExec handle, CUstream stream) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (entry->stream(stream) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return find_handle<GraphExec>(handle) == nullptr ? unknown_exec() : CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const StreamPointer stream = entry->stream(stream_handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const auto exec = find_handle<GraphExec>(handle);
  if (exec == nullptr) return unknown_exec();
  if (const CUresult code = refuse_while_capturing(*stream); code != CUDA_SUCCESS) return code;
  auto steps = steps_of(*exec);
  for (const GraphStep& step : *steps) {
    if (const CUresult code = check(*entry, step.work); code != CUDA_SUCCESS) return code;
  }
  // One step after the other: right, and what runs beside what is never promised.
  stream->submit([context = entry.context(), steps = std::move(steps)](CUresult) {
    for (const GraphStep& step : *steps) {
      if (step.enabled) run(*context, step.work);
    }
  });
  return CUDA_SUCCESS;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS* parameters) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  KernelWork work;
  if (const CUresult code = kernel_work_of(*entry, *parameters, work); code != CUDA_SUCCESS) return code;
  return change_step(exec, node, std::move(work));
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D* copy, CUcontext) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : change_step(exec, node, CopyWork{*copy, nullptr});
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS* fill,
                                        CUcontext) {
  return fill == nullptr ? CUDA_ERROR_INVALID_VALUE : change_step(exec, node, FillWork{*fill});
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS* host) {
  if (host == nullptr || host->fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_step(exec, node, HostWork{host->fn, host->userData});
}

CUresult cuGraphNodeSetEnabled(CUgraphExec handle, CUgraphNode node, unsigned int enabled) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto exec = find_handle<GraphExec>(handle);
  if (exec == nullptr) return unknown_exec();
  const std::lock_guard lock(exec->mutex);
  auto steps = std::make_shared<Steps>(*exec->steps);
  const auto step = std::ranges::find(*steps, node, &GraphStep::node);
  if (step == steps->end()) return CUDA_ERROR_INVALID_VALUE;
  step->enabled = enabled != 0;
  exec->steps = std::move(steps);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec handle, CUgraphNode node, unsigned int* enabled) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto exec = find_handle<GraphExec>(handle);
  if (exec == nullptr) return unknown_exec();
  const auto steps = steps_of(*exec);
  const auto step = std::ranges::find(*steps, node, &GraphStep::node);
  if (enabled == nullptr || step == steps->end()) return CUDA_ERROR_INVALID_VALUE;
  *enabled = step->enabled ? 1 : 0;
  return CUDA_SUCCESS;
}

namespace {

// Whether the new steps are the old ones with other parameters: same kinds, same dependencies.
// Nodes correspond by their order. Sets what differs first.
bool same_topology(const Steps& before, const Steps& after, CUgraphExecUpdateResultInfo& info) {
  std::unordered_map<CUgraphNode, std::size_t> old_place;
  std::unordered_map<CUgraphNode, std::size_t> new_place;
  info.result = CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  if (before.size() != after.size()) return false;
  for (std::size_t index = 0; index < before.size(); ++index) {
    old_place[before[index].node] = index;
    new_place[after[index].node] = index;
    info.errorNode = after[index].node;
    if (type_of(before[index].work) != type_of(after[index].work)) {
      info.result = CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED;
      return false;
    }
    if (before[index].dependencies.size() != after[index].dependencies.size()) return false;
    for (std::size_t edge = 0; edge < before[index].dependencies.size(); ++edge) {
      if (old_place.at(before[index].dependencies[edge]) != new_place.at(after[index].dependencies[edge])) return false;
    }
  }
  info = {};
  return true;
}

}  // namespace

CUresult cuGraphExecUpdate(CUgraphExec handle, CUgraph graph_handle, CUgraphExecUpdateResultInfo* info) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto exec = find_handle<GraphExec>(handle);
  if (exec == nullptr) return unknown_exec();
  const std::lock_guard graph_lock(graph_mutex());
  const GraphPointer graph = find_handle<Graph>(graph_handle);
  if (graph == nullptr) return unknown_graph();
  auto steps = std::make_shared<Steps>();
  if (const CUresult code = make_steps(*graph, *steps); code != CUDA_SUCCESS) return code;
  const std::lock_guard lock(exec->mutex);
  CUgraphExecUpdateResultInfo found{};
  const bool same = same_topology(*exec->steps, *steps, found);
  if (info != nullptr) *info = found;
  if (!same) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  // Later updates by node still name the nodes of the graph it was instantiated from.
  for (std::size_t index = 0; index < steps->size(); ++index) {
    GraphStep& step = (*steps)[index];
    step.node = (*exec->steps)[index].node;
    step.dependencies = (*exec->steps)[index].dependencies;
    step.enabled = (*exec->steps)[index].enabled;
  }
  exec->steps = std::move(steps);
  return CUDA_SUCCESS;
}
