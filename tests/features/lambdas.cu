// Lambdas in kernels: captures, generic, constexpr, init captures
// flags: --extended-lambda
struct Scaled {
  int by = [] __device__ (int x) { return 2 * x; }(21);
  template <typename T>
  __device__ T of(T x) const {
    auto scale = [this] __device__ (T v) mutable { return v *= by; };
    return scale(x);
  }
};

template <typename Function>
__device__ int apply(Function function, int x) {
  return function(x);
}

__global__ void use(int* data, int by) {
#pragma cudahot begin(body)
  const auto scale = [=](int x) { return x * by; };
  const auto generic = [&data, more = by + 1](auto x) { return x + data[0] + more; };
  const auto anywhere = [=] __host__ __device__ (int x) { return x - by; };
  data[threadIdx.x] = apply(scale, data[threadIdx.x]) + generic(2) + [] { return 1; }() + apply(anywhere, 3);
  data[0] += Scaled().of(by);
#pragma cudahot end
}
