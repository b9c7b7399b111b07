// libcu++: access properties and L2 prefetch
#include <cuda/annotated_ptr>

__global__ void stream(const int* in, int* out) {
#pragma cudahot begin(body)
  cuda::annotated_ptr<const int, cuda::access_property::streaming> source(in);
  out[threadIdx.x] = source[threadIdx.x];
  asm volatile("prefetch.global.L2 [%0];" ::"l"(in + 1024));
#pragma cudahot end
}
