// Cooperative groups: coalesced threads, labeled and binary partitions
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void count(int* counter, const int* data) {
#pragma cudahot begin(body)
  if (data[threadIdx.x] > 0) {
    const cg::coalesced_group active = cg::coalesced_threads();
    const auto even = cg::binary_partition(active, data[threadIdx.x] % 2 == 0);
    if (even.thread_rank() == 0) atomicAdd(counter, static_cast<int>(even.size()));
  }
#pragma cudahot end
}
