// bfloat16: operators, intrinsics, conversions
#include <cuda_bf16.h>

__global__ void scale(const __nv_bfloat16* in, float* out) {
#pragma cudahot begin(body)
  const __nv_bfloat16 twice = in[threadIdx.x] * __float2bfloat16(2.0f);
  out[threadIdx.x] = __bfloat162float(__hmax(twice, hexp(in[0])));
#pragma cudahot end
}
