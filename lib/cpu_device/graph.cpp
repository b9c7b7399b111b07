#include "lib/cpu_device/graph.hpp"

#include <algorithm>
#include <unordered_set>

namespace cudahot::cpu {

std::mutex& graph_mutex() {
  static std::mutex& the = *new std::mutex;
  return the;
}

GraphNodePointer add_node(Graph& graph, Work work, std::vector<GraphNodePointer> dependencies) {
  auto node = std::make_shared<GraphNode>();
  node->graph = graph.handle;
  node->work = std::move(work);
  node->dependencies = std::move(dependencies);
  HandleTable<GraphNode>::instance().add(node);
  graph.nodes.push_back(node);
  return node;
}

std::vector<GraphNodePointer> in_order(const Graph& graph) {
  std::vector<GraphNodePointer> ordered;
  std::unordered_set<const GraphNode*> done;
  std::vector<GraphNodePointer> left = graph.nodes;
  while (!left.empty()) {
    std::vector<GraphNodePointer> blocked;
    for (GraphNodePointer& node : left) {
      bool ready = true;
      for (const GraphNodePointer& before : node->dependencies) ready = ready && done.contains(before.get());
      if (!ready) {
        blocked.push_back(std::move(node));
        continue;
      }
      done.insert(node.get());
      ordered.push_back(std::move(node));
    }
    if (blocked.size() == left.size()) return {};
    left = std::move(blocked);
  }
  return ordered;
}

void list_nodes(const std::vector<GraphNodePointer>& nodes, CUgraphNode* handles, std::size_t& count) {
  for (std::size_t index = 0; handles != nullptr && index < count; ++index) {
    handles[index] = index < nodes.size() ? nodes[index]->handle : nullptr;
  }
  count = handles == nullptr ? nodes.size() : std::min(count, nodes.size());
}

CUgraphNodeType type_of(const Work& work) {
  if (std::holds_alternative<KernelWork>(work)) return CU_GRAPH_NODE_TYPE_KERNEL;
  if (std::holds_alternative<CopyWork>(work)) return CU_GRAPH_NODE_TYPE_MEMCPY;
  if (std::holds_alternative<FillWork>(work)) return CU_GRAPH_NODE_TYPE_MEMSET;
  if (std::holds_alternative<HostWork>(work)) return CU_GRAPH_NODE_TYPE_HOST;
  return CU_GRAPH_NODE_TYPE_EMPTY;
}

}  // namespace cudahot::cpu
