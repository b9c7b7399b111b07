#include "parts/vec.hpp"

__global__ void expressions(float* out, const vec::Vector<float, 3>* v, int n) {
  vec::Vector<float, 3> sum;
  for (int i = 0; i + 2 < n; ++i) sum = v[i] + v[i + 1] + v[i + 2];
  out[threadIdx.x] = vec::norm(sum);
}
