// Nodes of graphs: cuGraphAdd*Node, cuGraph*NodeGetParams, cuGraph*NodeSetParams
#include <algorithm>
#include <optional>

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/graph.hpp"
#include "lib/cpu_device/graph_parameters.hpp"
#include "lib/cpu_device/log.hpp"

namespace cudahot::cpu {

CUresult kernel_work_of(const Context& context, const CUDA_KERNEL_NODE_PARAMS& parameters, KernelWork& work) {
  const auto function = parameters.func != nullptr ? parameters.func : reinterpret_cast<CUfunction>(parameters.kern);
  return make_kernel_work(context, function, {parameters.gridDimX, parameters.gridDimY, parameters.gridDimZ},
                          {parameters.blockDimX, parameters.blockDimY, parameters.blockDimZ}, parameters.sharedMemBytes,
                          parameters.kernelParams, parameters.extra, work);
}

}  // namespace cudahot::cpu

using namespace cudahot::cpu;  // NOLINT: this file only defines the driver's functions over it

namespace {

GraphNodePointer node_of(CUgraphNode handle) {
  GraphNodePointer node = find_handle<GraphNode>(handle);
  if (node == nullptr) misuse(CUDA_ERROR_INVALID_VALUE, "a graph node is used that does not exist, or was destroyed");
  return node;
}

CUresult add(CUgraphNode* result, CUgraph graph_handle, const CUgraphNode* dependencies, std::size_t count, Work work) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (result == nullptr || (count != 0 && dependencies == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult code = check(*entry, work); code != CUDA_SUCCESS) return code;
  const std::lock_guard lock(graph_mutex());
  const GraphPointer graph = find_handle<Graph>(graph_handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::vector<GraphNodePointer> before;
  for (std::size_t index = 0; index < count; ++index) {
    GraphNodePointer node = node_of(dependencies[index]);
    if (node == nullptr || node->graph != graph_handle) return CUDA_ERROR_INVALID_VALUE;
    before.push_back(std::move(node));
  }
  *result = add_node(*graph, std::move(work), std::move(before))->handle;
  return CUDA_SUCCESS;
}

// The node's work if it is of that kind, under graph_mutex().
template <typename Kind>
Kind* work_of(CUgraphNode handle) {
  const GraphNodePointer node = node_of(handle);
  return node == nullptr ? nullptr : std::get_if<Kind>(&node->work);
}

template <typename Kind, typename Parameters, typename Read>
CUresult get(CUgraphNode handle, Parameters* parameters, Read read) {
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(graph_mutex());
  const Kind* work = work_of<Kind>(handle);
  if (work == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *parameters = read(*work);
  return CUDA_SUCCESS;
}

template <typename Kind>
CUresult set(CUgraphNode handle, Kind work) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (const CUresult code = check(*entry, work); code != CUDA_SUCCESS) return code;
  const std::lock_guard lock(graph_mutex());
  Kind* present = work_of<Kind>(handle);
  if (present == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *present = std::move(work);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuGraphAddKernelNode(CUgraphNode* result, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                              const CUDA_KERNEL_NODE_PARAMS* parameters) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  KernelWork work;
  if (const CUresult code = kernel_work_of(*entry, *parameters, work); code != CUDA_SUCCESS) return code;
  return add(result, graph, dependencies, count, std::move(work));
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS* parameters) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(graph_mutex());
  const GraphNodePointer node = node_of(handle);
  auto* work = node == nullptr ? nullptr : std::get_if<KernelWork>(&node->work);
  if (work == nullptr) return CUDA_ERROR_INVALID_VALUE;
  node->argument_pointers = work->argument_pointers();
  const bool by_kernel = work->target.kernel != nullptr;
  *parameters = {.func = by_kernel ? nullptr : function_in(*entry, work->target.state),
                 .gridDimX = work->grid.x,
                 .gridDimY = work->grid.y,
                 .gridDimZ = work->grid.z,
                 .blockDimX = work->block.x,
                 .blockDimY = work->block.y,
                 .blockDimZ = work->block.z,
                 .sharedMemBytes = work->shared_bytes,
                 .kernelParams = node->argument_pointers.data(),
                 .extra = nullptr,
                 .kern = work->target.kernel,
                 .ctx = by_kernel ? entry->handle : nullptr};
  return CUDA_SUCCESS;
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode handle, const CUDA_KERNEL_NODE_PARAMS* parameters) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  KernelWork work;
  if (const CUresult code = kernel_work_of(*entry, *parameters, work); code != CUDA_SUCCESS) return code;
  return set(handle, std::move(work));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* result, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                              const CUDA_MEMCPY3D* copy, CUcontext) {
  if (copy == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add(result, graph, dependencies, count, CopyWork{*copy, nullptr});
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode handle, CUDA_MEMCPY3D* copy) {
  return get<CopyWork>(handle, copy, [](const CopyWork& work) { return work.copy; });
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode handle, const CUDA_MEMCPY3D* copy) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : set(handle, CopyWork{*copy, nullptr});
}

CUresult cuGraphAddMemsetNode(CUgraphNode* result, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                              const CUDA_MEMSET_NODE_PARAMS* fill, CUcontext) {
  if (fill == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add(result, graph, dependencies, count, FillWork{*fill});
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode handle, CUDA_MEMSET_NODE_PARAMS* fill) {
  return get<FillWork>(handle, fill, [](const FillWork& work) { return work.fill; });
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode handle, const CUDA_MEMSET_NODE_PARAMS* fill) {
  return fill == nullptr ? CUDA_ERROR_INVALID_VALUE : set(handle, FillWork{*fill});
}

CUresult cuGraphAddHostNode(CUgraphNode* result, CUgraph graph, const CUgraphNode* dependencies, std::size_t count,
                            const CUDA_HOST_NODE_PARAMS* host) {
  if (host == nullptr || host->fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add(result, graph, dependencies, count, HostWork{host->fn, host->userData});
}

CUresult cuGraphHostNodeGetParams(CUgraphNode handle, CUDA_HOST_NODE_PARAMS* host) {
  return get<HostWork>(handle, host, [](const HostWork& work) {
    return CUDA_HOST_NODE_PARAMS{.fn = work.function, .userData = work.user};
  });
}

CUresult cuGraphAddEmptyNode(CUgraphNode* result, CUgraph graph, const CUgraphNode* dependencies, std::size_t count) {
  return add(result, graph, dependencies, count, EmptyWork{});
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType* type) {
  if (type == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(graph_mutex());
  const GraphNodePointer node = node_of(handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *type = type_of(node->work);
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetDependencies(CUgraphNode handle, CUgraphNode* dependencies, CUgraphEdgeData* edges,
                                    std::size_t* count) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::lock_guard lock(graph_mutex());
  const GraphNodePointer node = node_of(handle);
  if (node == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (dependencies != nullptr && edges != nullptr) std::fill_n(edges, *count, CUgraphEdgeData{});
  list_nodes(node->dependencies, dependencies, *count);
  return CUDA_SUCCESS;
}
