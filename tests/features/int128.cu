// 128-bit integers
__global__ void multiply(const unsigned long long* in, unsigned long long* out) {
#pragma cudahot begin(body)
  const unsigned __int128 product = static_cast<unsigned __int128>(in[0]) * in[1];
  out[threadIdx.x] = static_cast<unsigned long long>(product >> 64);
#pragma cudahot end
}
