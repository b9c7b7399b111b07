// cuRAND: device generators and distributions
#include <curand_kernel.h>

__global__ void noise(float* out, unsigned long long seed) {
#pragma cudahot begin(body)
  curandStatePhilox4_32_10_t state;
  curand_init(seed, threadIdx.x, 0, &state);
  out[threadIdx.x] = curand_uniform(&state) + curand_normal(&state) + curand_poisson(&state, 2.0);
#pragma cudahot end
}
