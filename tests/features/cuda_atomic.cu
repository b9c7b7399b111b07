// libcu++: atomic and atomic_ref with scopes
#include <cuda/atomic>

__global__ void count(int* data) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> hits;
#pragma cudahot begin(body)
  if (threadIdx.x == 0) hits.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  hits.fetch_add(data[threadIdx.x], cuda::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device>(data[0]).fetch_max(hits.load(), cuda::memory_order_acq_rel);
#pragma cudahot end
}
