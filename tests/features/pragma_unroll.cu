// Pragmas: unroll with and without a count
template <int kCount>
__device__ float sum(const float* data) {
  float total = 0;
#pragma unroll kCount
  for (int i = 0; i < 16; ++i) total += data[i];
  return total;
}

__global__ void add(const float* in, float* out) {
#pragma cudahot begin(body)
  float total = sum<4>(in);
#pragma unroll
  for (int i = 0; i < 4; ++i) total += in[i];
#pragma unroll 1
  for (int i = 0; i < 8; ++i) total += in[i];
  out[threadIdx.x] = total;
#pragma cudahot end
}
