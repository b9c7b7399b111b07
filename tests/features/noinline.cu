// __noinline__, __forceinline__, __inline_hint__
__device__ __noinline__ float apart(float x) { return x * x; }
__device__ __forceinline__ float within(float x) { return x + 1.0f; }
__inline_hint__ __device__ float maybe(float x) { return x - 1.0f; }

__global__ void both(float* data) {
#pragma cudahot begin(body)
  data[threadIdx.x] = apart(within(maybe(data[threadIdx.x])));
#pragma cudahot end
}
