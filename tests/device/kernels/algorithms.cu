// Whole kernels as people write them, each with its inner part in a region.
#include <cudahot/device.cuh>

extern "C" __global__ void reduce(const float* in, float* out, int n) {
  __shared__ float partial[8];
  float sum = 0;
#pragma cudahot begin(reduce)
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
#pragma cudahot end
  if (threadIdx.x % warpSize == 0) partial[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x < 8) {
    sum = partial[threadIdx.x];
    for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_down_sync(0xff, sum, offset);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}

template <typename T>
__device__ T scan_warp(T value) {
  const int lane = threadIdx.x & 31;
  for (int delta = 1; delta < 32; delta *= 2) {
    const T before = __shfl_up_sync(~0u, value, delta);
    if (lane >= delta) value += before;
  }
  return value;
}

// One block of whole warps.
template <typename T>
__global__ void scan(const T* in, T* out) {
  __shared__ T totals[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma cudahot begin(scan)
  T value = scan_warp(in[threadIdx.x]);
  if (lane == 31) totals[warp] = value;
  __syncthreads();
  if (warp == 0) {
    T total = lane < blockDim.x / 32 ? totals[lane] : T(0);
    totals[lane] = scan_warp(total);
  }
  __syncthreads();
  out[threadIdx.x] = value + (warp > 0 ? totals[warp - 1] : T(0));
#pragma cudahot end
}
template __global__ void scan(const double*, double*);
template __global__ void scan(const int*, int*);

constexpr int kTile = 16;
extern "C" __global__ __launch_bounds__(kTile* kTile) void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float left[kTile][kTile + 1], right[kTile][kTile + 1];
  const int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  float sum = 0;
  for (int tile = 0; tile < (n + kTile - 1) / kTile; ++tile) {
    const int k = tile * kTile;
#pragma cudahot begin(multiply)
    left[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0;
    right[threadIdx.y][threadIdx.x] = column < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
#pragma cudahot end
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

// Dynamic shared memory: 256 unsigned.
extern "C" __global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  extern __shared__ unsigned local[];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
#pragma cudahot begin(histogram)
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1u);
#pragma cudahot end
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    if (local[i]) atomicAdd(bins + i, local[i]);
  }
}

extern "C" __global__ void blur(cudaTextureObject_t in, cudaSurfaceObject_t out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
#pragma cudahot begin(blur)
  float sum = 4 * tex2D<float>(in, x + 0.5f, y + 0.5f);
  sum += tex2D<float>(in, x - 0.5f, y + 0.5f) + tex2D<float>(in, x + 1.5f, y + 0.5f);
  float above;
  tex2D(&above, in, x + 0.5f, y - 0.5f);
  sum += above + tex2D<float>(in, x + 0.5f, y + 1.5f);
  surf2Dwrite(sum / 8, out, x * 4, y);
#pragma cudahot end
}

extern "C" __global__ void philox_stream(uint4* words, float* floats, unsigned key) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma cudahot begin(philox)
  words[i] = cudahot::device::philox(make_uint4(i, 0, 0, 0), make_uint2(key, key + 1));
  floats[i] = cudahot::device::uniform(words[i].x);
#pragma cudahot end
}

// A logistic map in every thread: each step is one rounded operation after another, so that the
// difference between with and without fused multiply-add shows, and stays small for few steps.
extern "C" __global__ void logistic(const float* in, float* out, int steps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = in[i];
#pragma cudahot begin(logistic)
  for (int step = 0; step < steps; ++step) x = 3.7f * x * (1.0f - x);
#pragma cudahot end
  out[i] = x;
}
