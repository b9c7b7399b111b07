// Lambdas in kernels: captures, generic, constexpr, init captures
template <typename Function>
__device__ int apply(Function function, int x) {
  return function(x);
}

__global__ void use(int* data, int by) {
#pragma cudahot begin(body)
  const auto scale = [=](int x) { return x * by; };
  const auto generic = [&data, more = by + 1](auto x) { return x + data[0] + more; };
  data[threadIdx.x] = apply(scale, data[threadIdx.x]) + generic(2) + [] { return 1; }();
#pragma cudahot end
}
