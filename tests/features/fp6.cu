// 6-bit floating point
#include <cuda_fp6.h>

__global__ void convert(const float* in, float* out) {
#pragma cudahot begin(body)
  out[threadIdx.x] = static_cast<float>(__nv_fp6_e3m2(in[threadIdx.x])) + static_cast<float>(__nv_fp6_e2m3(in[0]));
#pragma cudahot end
}
