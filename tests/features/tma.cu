// Tensor memory accelerator: bulk copies into shared memory
#include <cuda/barrier>
#include <cuda/ptx>

__global__ void load(const float* in, float* out) {
  alignas(128) __shared__ float tile[128];
  __shared__ cuda::barrier<cuda::thread_scope_block> ready;
  if (threadIdx.x == 0) init(&ready, blockDim.x);
  __syncthreads();
#pragma cudahot begin(body)
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(tile, in, cuda::aligned_size_t<16>(sizeof(tile)), ready);
    ready.wait(cuda::device::barrier_arrive_tx(ready, 1, sizeof(tile)));
  } else {
    ready.arrive_and_wait();
  }
  out[threadIdx.x] = tile[threadIdx.x];
#pragma cudahot end
}
