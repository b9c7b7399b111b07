// Half precision: scalar and packed arithmetic, conversions
#include <cuda_fp16.h>

__global__ void scale(const __half2* in, __half* out, float by) {
#pragma cudahot begin(body)
  const __half2 scaled = __hfma2(in[threadIdx.x], __float2half2_rn(by), __floats2half2_rn(1.0f, 2.0f));
  out[threadIdx.x] = __hadd(__low2half(scaled), hsqrt(__high2half(scaled)));
#pragma cudahot end
}
