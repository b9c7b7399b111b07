// Graphs of work, recorded from streams or made node by node, and what they are instantiated to.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "lib/cpu_device/driver_api.hpp"
#include "lib/cpu_device/handles.hpp"
#include "lib/cpu_device/work.hpp"

namespace cudahot::cpu {

struct Graph;

struct GraphNode {
  CUgraphNode handle = nullptr;
  CUgraph graph = nullptr;
  Work work;
  std::vector<std::shared_ptr<GraphNode>> dependencies;
  std::vector<void*> argument_pointers;  // into work, for those who ask for the parameters
};
using GraphNodePointer = std::shared_ptr<GraphNode>;

struct Graph {
  CUgraph handle = nullptr;
  std::vector<GraphNodePointer> nodes;  // in the order in which they were added
};
using GraphPointer = std::shared_ptr<Graph>;

// One lock for all graphs: they are changed rarely, and never while they run.
std::mutex& graph_mutex();

// Under graph_mutex(): adds a node with a handle of its own.
GraphNodePointer add_node(Graph& graph, Work work, std::vector<GraphNodePointer> dependencies);
// Under graph_mutex(): the nodes so that each comes after what it depends on; empty when there is
// a cycle (and there are nodes).
std::vector<GraphNodePointer> in_order(const Graph& graph);
CUgraphNodeType type_of(const Work& work);
// How calls list nodes: into `handles`, filled up with null, of which there are `count`; without it only counted.
void list_nodes(const std::vector<GraphNodePointer>& nodes, CUgraphNode* handles, std::size_t& count);

// A step of an instantiated graph.
struct GraphStep {
  CUgraphNode node = nullptr;  // it was made from
  std::vector<CUgraphNode> dependencies;
  Work work;
  bool enabled = true;
};

struct GraphExec {
  CUgraphExec handle = nullptr;
  std::mutex mutex;
  // Replaced as a whole, so that launches under way keep what they were started with.
  std::shared_ptr<const std::vector<GraphStep>> steps;
};

}  // namespace cudahot::cpu
