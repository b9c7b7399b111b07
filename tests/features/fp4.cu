// 4-bit floating point
#include <cuda_fp4.h>

__global__ void convert(const float2* in, float2* out) {
#pragma cudahot begin(body)
  out[threadIdx.x] = static_cast<float2>(__nv_fp4x2_e2m1(in[threadIdx.x]));
#pragma cudahot end
}
