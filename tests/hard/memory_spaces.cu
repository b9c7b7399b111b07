// Variables in every memory space, launch bounds, attributes, pragmas and PTX, all kept as text.
#include <cuda_runtime.h>
#include <string>

__device__ int counter = 3;
__constant__ float weights[16];
__managed__ double total;
__device__ const float kTable[4] = {0.5f, 1, 2, 4};
extern __shared__ float dynamic[];

#pragma nv_diag_suppress 177
__device__ __noinline__ float slow(float x) { return x * weights[3]; }
__device__ __forceinline__ float fast(float x) { return x * kTable[2]; }
#pragma nv_diag_default 177

struct Big {
  float values[32];
};

__global__ void __launch_bounds__(128, 2) spaces(float* __restrict__ out, const __grid_constant__ Big big) {
  __shared__ float tile[128];
  tile[threadIdx.x] = big.values[threadIdx.x % 32];
  dynamic[threadIdx.x] = slow(tile[threadIdx.x]);
  __syncthreads();
  float sum = 0;
#pragma unroll 4
  for (int i = 0; i < 16; ++i) sum += weights[i] * fast(dynamic[(threadIdx.x + i) % 128]);
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (lane == 0) atomicAdd(&counter, 1);
  total = sum;
  out[threadIdx.x] = sum;
}
__global__ void __cluster_dims__(2, 1, 1) clustered(int* out) { out[blockIdx.x] = static_cast<int>(threadIdx.x); }

void set(const std::string& text) { cudaMemcpyToSymbol(weights, text.data(), sizeof(weights)); }
