// libcu++: pipeline and memcpy_async
#include <cooperative_groups.h>
#include <cuda/pipeline>

__global__ void stage(const float* in, float* out, int batches) {
  __shared__ float tiles[2][128];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  auto block = cooperative_groups::this_thread_block();
  auto pipeline = cuda::make_pipeline(block, &state);
#pragma cudahot begin(body)
  for (int i = 0; i < batches; ++i) {
    pipeline.producer_acquire();
    cuda::memcpy_async(block, tiles[i % 2], in + i * 128, cuda::aligned_size_t<16>(sizeof(tiles[0])), pipeline);
    pipeline.producer_commit();
    pipeline.consumer_wait();
    out[threadIdx.x] += tiles[i % 2][threadIdx.x];
    pipeline.consumer_release();
  }
#pragma cudahot end
}
