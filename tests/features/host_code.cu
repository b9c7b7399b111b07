// Host code of all kinds beside a kernel
#include <cuda_runtime.h>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

static std::vector<std::string> names;
struct Owner {
  std::unique_ptr<float[]> data = std::make_unique<float[]>(4);
};

__global__ void scale(float* data, float by) {
#pragma cudahot begin(body)
  data[threadIdx.x] *= by;
#pragma cudahot end
}

int main() {
  float* memory = nullptr;
  if (cudaMalloc(&memory, 128) != cudaSuccess) std::cerr << "no memory\n";
  scale<<<1, 32>>>(memory, 2.0f);
  names.emplace_back("done");
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}
