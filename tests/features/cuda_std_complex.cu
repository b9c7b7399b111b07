// libcu++: complex numbers, mathematics, bit operations
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/complex>

__global__ void rotate(cuda::std::complex<float>* data) {
#pragma cudahot begin(body)
  data[threadIdx.x] *= cuda::std::polar(1.0f, cuda::std::sin(0.5f));
  data[threadIdx.x] += cuda::std::complex<float>(static_cast<float>(cuda::std::popcount(threadIdx.x)), 0.0f);
#pragma cudahot end
}
