// libcu++: mdspan
#include <cuda/std/mdspan>

__global__ void transpose(float* data, int n) {
#pragma cudahot begin(body)
  cuda::std::mdspan matrix(data, cuda::std::extents<int, cuda::std::dynamic_extent, 32>(n));
  matrix(static_cast<int>(threadIdx.x), 1) = matrix(static_cast<int>(threadIdx.x), 0);
#pragma cudahot end
}
