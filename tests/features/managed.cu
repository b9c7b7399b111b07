// Variables in managed memory
__device__ __managed__ int shared_with_host = 3;

__global__ void count() {
#pragma cudahot begin(body)
  atomicAdd(&shared_with_host, 1);
#pragma cudahot end
}
