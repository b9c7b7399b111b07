// nvcc: --expt-relaxed-constexpr
// What header libraries for host and device do: probes that are only declared, classes and members that macros make,
// names that `using` needs, operators for streams, definitions that a macro closes.
#include <cstdint>
#include <iostream>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda_fp16.h>

typedef char Yes[1];
typedef char No[2];
template <typename T>
struct HasSize {
  template <typename U>
  static Yes& test(decltype(std::declval<U>().size())*);
  template <typename U>
  static No& test(...);
  enum { value = sizeof(test<T>(nullptr)) == sizeof(Yes) };
};
template <typename T>
struct HasScale {
  template <typename U>
  static std::true_type test(decltype(std::declval<U>().scale)*);
  template <typename U>
  static std::false_type test(...);
  static constexpr bool value = decltype(test<T>(nullptr))::value;
};

// The host's operator is all that a template finds before it is instantiated.
struct Vector {
  float x, y;
  __host__ __device__ int size() const { return 2; }
};
std::ostream& operator<<(std::ostream& out, const Vector& v) { return out << v.x << ' ' << v.y; }
template <typename T>
__host__ __device__ T twice(T value) {
  return value << 1;
}

#define MAKE_OPERATION(NAME, EXPRESSION)                               \
  struct NAME {                                                        \
    __host__ __device__ float operator()(float a, float b) const {     \
      return EXPRESSION;                                               \
    }                                                                  \
    NAME copy() const { return NAME(); }                               \
  };
MAKE_OPERATION(Sum, a + b)
MAKE_OPERATION(Product, a* b)

#define MAKE_ACCESSORS(TYPE)                                    \
  __host__ __device__ TYPE first() const { return values[0]; }  \
  __host__ __device__ TYPE last() const { return values[1]; }
#define MAKE_PRINTER(NAME) \
  void NAME() const { std::cout << values[0]; }

template <typename T, bool kWritable>
struct Storage {
  T values[2];
  __host__ __device__ T get(int i) const { return values[i]; }

 protected:
  void set();  // so that `using` finds one
};
template <typename T>
struct Storage<T, true> {
  T values[2];
  __host__ __device__ T get(int i) const { return values[i]; }
  __host__ __device__ void set(int i, T value) { values[i] = value; }
};
template <typename T, bool kWritable>
struct Pair : Storage<T, kWritable> {
  using Storage<T, kWritable>::get;
  using Storage<T, kWritable>::set;
  using Storage<T, kWritable>::values;
  MAKE_ACCESSORS(T)
  MAKE_PRINTER(print)
  __host__ __device__ T total() const { return first() + last(); }
};

struct Step {
  int by;
  explicit Step(int value) : by(value) {}
  Step operator+(int more) const { return Step(by + more); }
};
static const Step kStep(Step(1) + 2);

template <typename T>
struct Name {
  static constexpr int kLength = 1;
};
template <typename T>
struct Name<std::vector<T>> {
  static constexpr int kLength = 2;
  static std::vector<T> make() { return {}; }
};

__global__ void library(float* out, std::uint64_t* counts, __half half) {
  Pair<float, true> pair{};
  pair.set(0, Sum()(1.5f, __half2float(half)));
  pair.set(1, Product()(2, out[0]));
  Pair<int, false> fixed{};
  out[threadIdx.x] = pair.total() + fixed.total() + HasSize<Vector>::value + 2 * HasSize<int>::value;
  counts[threadIdx.x] = twice(uint64_t(1) << 40) + HasScale<Vector>::value + Name<int>::kLength;
}

int on_host() {
  std::cout << Vector{1, 2};
  return kStep.by + Name<std::vector<int>>::kLength + static_cast<int>(Name<std::vector<int>>::make().size());
}
