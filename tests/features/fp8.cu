// 8-bit floating point: both formats, packed conversions
#include <cuda_fp8.h>

__global__ void convert(const float4* in, __nv_fp8x4_e4m3* packed, float* out) {
#pragma cudahot begin(body)
  packed[threadIdx.x] = __nv_fp8x4_e4m3(in[threadIdx.x]);
  out[threadIdx.x] = static_cast<float>(__nv_fp8_e5m2(in[threadIdx.x].x));
#pragma cudahot end
}
