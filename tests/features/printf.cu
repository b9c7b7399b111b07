// Messages: printf
#include <cstdio>

__global__ void tell(const int* data) {
#pragma cudahot begin(body)
  printf("thread %u: %d %s %f\n", threadIdx.x, data[threadIdx.x], "text", 1.5);
#pragma cudahot end
}
