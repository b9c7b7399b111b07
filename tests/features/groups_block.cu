// Cooperative groups: the thread block
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void sum(int* data) {
  __shared__ int total;
  const cg::thread_block block = cg::this_thread_block();
#pragma cudahot begin(body)
  if (block.thread_rank() == 0) total = 0;
  block.sync();
  atomicAdd(&total, data[block.thread_rank()]);
  cg::sync(block);
  data[block.thread_rank()] = total;
#pragma cudahot end
}
