// Cooperative groups: the grid
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void wave(int* data, int steps) {
  cg::grid_group grid = cg::this_grid();
#pragma cudahot begin(body)
  for (int i = 0; i < steps; ++i) {
    data[grid.thread_rank()] += i;
    grid.sync();
  }
#pragma cudahot end
}
