// Function pointers, tables of them, recursion
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
using Operation = int (*)(int, int);
__device__ Operation const operations[] = {add, subtract};

__device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

__global__ void use(int* data, int which) {
#pragma cudahot begin(body)
  data[threadIdx.x] = operations[which](factorial(data[threadIdx.x]), 1);
#pragma cudahot end
}
