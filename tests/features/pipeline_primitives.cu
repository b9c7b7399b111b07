// Asynchronous copies: the pipeline primitives
#include <cuda_pipeline.h>

__global__ void stage(const float4* in, float4* out) {
  __shared__ float4 tile[128];
#pragma cudahot begin(body)
  __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x], sizeof(float4));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[threadIdx.x] = tile[threadIdx.x];
#pragma cudahot end
}
