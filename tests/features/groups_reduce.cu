// Cooperative groups: reduce, inclusive and exclusive scan
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void sum(int* data) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
#pragma cudahot begin(body)
  const int total = cg::reduce(warp, data[threadIdx.x], cg::plus<int>());
  data[threadIdx.x] = cg::exclusive_scan(warp, total, cg::less<int>()) + cg::inclusive_scan(warp, total);
#pragma cudahot end
}
