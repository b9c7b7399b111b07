// Cooperative groups: tiles of a block, shuffles and votes
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void sum(int* data) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
#pragma cudahot begin(body)
  int value = data[threadIdx.x];
  for (int step = tile.size() / 2; step > 0; step /= 2) value += tile.shfl_down(value, step);
  if (tile.thread_rank() == 0 && tile.any(value > 0)) data[tile.meta_group_rank()] = value;
#pragma cudahot end
}
