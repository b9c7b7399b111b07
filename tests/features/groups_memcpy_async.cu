// Cooperative groups: memcpy_async and wait
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

namespace cg = cooperative_groups;

__global__ void stage(const float* in, float* out) {
  __shared__ float tile[128];
  const cg::thread_block block = cg::this_thread_block();
#pragma cudahot begin(body)
  cg::memcpy_async(block, tile, in, sizeof(tile));
  cg::wait(block);
  out[threadIdx.x] = tile[127 - threadIdx.x];
#pragma cudahot end
}
