// Textures and surfaces of two dimensions.

extern "C" __global__ void sample(cudaTextureObject_t texture, const float2* at, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
#pragma cudahot begin(sample)
  out[i] = tex2D<float>(texture, at[i].x, at[i].y);
#pragma cudahot end
}

extern "C" __global__ void sample_float4(cudaTextureObject_t texture, const float2* at, float4* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
#pragma cudahot begin(sample_float4)
  tex2D(&out[i], texture, at[i].x, at[i].y);
#pragma cudahot end
}

extern "C" __global__ void sample_elements(cudaTextureObject_t uchar4s, cudaTextureObject_t shorts,
                                           cudaTextureObject_t words, const float2* at, uchar4* out, int2* numbers,
                                           int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
#pragma cudahot begin(sample_elements)
  out[i] = tex2D<uchar4>(uchar4s, at[i].x, at[i].y);
  numbers[i] = make_int2(tex2D<short>(shorts, at[i].x, at[i].y), tex2D<unsigned>(words, at[i].x, at[i].y));
#pragma cudahot end
}

extern "C" __global__ void fetch(cudaTextureObject_t linear, int2* out) {
  const int i = threadIdx.x;
#pragma cudahot begin(fetch)
  out[i] = tex1Dfetch<int2>(linear, blockDim.x - 1 - i);
#pragma cudahot end
}

// Turned by a half turn.
template <typename Texel>
__global__ void turn(cudaSurfaceObject_t in, cudaSurfaceObject_t out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
#pragma cudahot begin(turn)
  Texel texel;
  surf2Dread(&texel, in, x * static_cast<int>(sizeof(Texel)), y);
  surf2Dwrite(texel, out, (width - 1 - x) * static_cast<int>(sizeof(Texel)), height - 1 - y);
#pragma cudahot end
}
template __global__ void turn<uchar4>(cudaSurfaceObject_t, cudaSurfaceObject_t, int, int);
template __global__ void turn<short>(cudaSurfaceObject_t, cudaSurfaceObject_t, int, int);
template __global__ void turn<float>(cudaSurfaceObject_t, cudaSurfaceObject_t, int, int);
template __global__ void turn<float4>(cudaSurfaceObject_t, cudaSurfaceObject_t, int, int);

// at: in elements.
extern "C" __global__ void read_beyond(cudaSurfaceObject_t surface, const int2* at, uchar4* clamped, uchar4* zeroed) {
  const int i = threadIdx.x;
#pragma cudahot begin(read_beyond)
  clamped[i] = surf2Dread<uchar4>(surface, at[i].x * 4, at[i].y, cudaBoundaryModeClamp);
  zeroed[i] = surf2Dread<uchar4>(surface, at[i].x * 4, at[i].y, cudaBoundaryModeZero);
#pragma cudahot end
}

extern "C" __global__ void write_beyond(cudaSurfaceObject_t clamped, cudaSurfaceObject_t dropped, const int2* at) {
  const int i = threadIdx.x;
#pragma cudahot begin(write_beyond)
  surf2Dwrite(100 + i, clamped, at[i].x * 4, at[i].y, cudaBoundaryModeClamp);
  surf2Dwrite(100 + i, dropped, at[i].x * 4, at[i].y, cudaBoundaryModeZero);
#pragma cudahot end
}

extern "C" __global__ void trap_beyond(cudaSurfaceObject_t surface, int* out, int x) {
#pragma cudahot begin(trap_beyond)
  out[0] = surf2Dread<int>(surface, 4, 0);
  out[1] = surf2Dread<int>(surface, x, 0);
#pragma cudahot end
}
