// Device functions through pointers and tables, lambdas in device code, functors, a host table beside them.
#include <algorithm>
#include <vector>

using Function = float (*)(float);
__device__ float up(float x) { return x + 1; }
__device__ float down(float x) { return x - 1; }
__device__ Function table[2] = {up, down};
float on_host(float x) { return x; }
Function host_table[] = {on_host};

template <typename F>
__device__ float applied(F function, float x) {
  return function(function(x));
}
struct Add {
  float amount;
  __host__ __device__ float operator()(float x) const { return x + amount; }
};

__global__ void called(float* out, int which, float x) {
  const auto local = [x](float y) { return x * y; };
  auto generic = [](auto a, auto b) { return a < b ? a : b; };
  out[threadIdx.x] = table[which](x) + applied(up, x) + applied(local, x) + applied(Add{2}, x) + generic(x, 1.0f);
}

void sort_on_host(std::vector<float>& values) {
  std::sort(values.begin(), values.end(), [](float a, float b) { return a > b; });
}
