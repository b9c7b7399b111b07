// Atomic functions: vectors of floats, half and bfloat16
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void count(float2* f2, float4* f4, __half2* h, __nv_bfloat16* b) {
#pragma cudahot begin(body)
  atomicAdd(f2, make_float2(1, 2));
  atomicAdd(f4, make_float4(1, 2, 3, 4));
  atomicAdd(h, __float2half2_rn(1.0f));
  atomicAdd(b, __float2bfloat16(1.0f));
#pragma cudahot end
}
