// Thrust in host code beside a kernel
#include <thrust/device_vector.h>
#include <thrust/sort.h>

__global__ void scale(float* data, float by) {
#pragma cudahot begin(body)
  data[threadIdx.x] *= by;
#pragma cudahot end
}

void run(thrust::device_vector<float>& values) {
  thrust::sort(values.begin(), values.end());
  scale<<<1, 32>>>(thrust::raw_pointer_cast(values.data()), 2.0f);
}
