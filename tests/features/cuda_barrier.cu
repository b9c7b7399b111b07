// libcu++: barrier in shared memory
#include <cuda/barrier>

__global__ void stages(int* data) {
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  __syncthreads();
#pragma cudahot begin(body)
  data[threadIdx.x] += 1;
  auto token = ready.arrive();
  ready.wait(std::move(token));
  data[threadIdx.x] += data[blockDim.x - 1 - threadIdx.x];
  ready.arrive_and_wait();
#pragma cudahot end
}
