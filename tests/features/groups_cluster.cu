// Cooperative groups: the cluster, distributed shared memory
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void exchange(int* data) {
  __shared__ int mine;
  cg::cluster_group cluster = cg::this_cluster();
#pragma cudahot begin(body)
  mine = static_cast<int>(cluster.block_rank());
  cluster.sync();
  data[threadIdx.x] = *cluster.map_shared_rank(&mine, (cluster.block_rank() + 1) % cluster.num_blocks());
  cluster.sync();
#pragma cudahot end
}
