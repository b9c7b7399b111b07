// nvcc: --expt-relaxed-constexpr
// std::complex of the host: in parameters, in templates that device code instantiates and in others, and in traits.
#include <complex>
#include <functional>
#include <limits>
#include <vector>

template <typename T>
struct Real {
  using type = T;
  static constexpr bool kComplex = false;
  static constexpr bool kExact = std::numeric_limits<T>::is_exact;
};
template <typename T>
struct Real<std::complex<T>> {
  using type = T;
  static constexpr bool kComplex = true;
  static constexpr bool kExact = std::numeric_limits<std::complex<T>>::is_exact;
};
template <typename T>
struct Real<std::vector<T>> {
  using type = T;
  static std::vector<T> zeros(int n) { return std::vector<T>(n); }
};

template <typename T>
__host__ __device__ std::complex<T> turned(const std::complex<T>& z) {
  return std::complex<T>(-z.imag(), z.real());
}
template <typename T>
T phase(const std::complex<T>& z) {
  return std::arg(z);
}
template <typename T>
__host__ __device__ T never_instantiated(T x) {
  using std::arg;
  return std::abs(std::complex<T>(x)) + arg(std::complex<T>(x));
}

struct Signal {
  char tag;
  std::complex<float> value;
  std::complex<double> wide;
};

template <typename T>
__global__ void rotate(T* out, std::complex<T> by, char tag, std::complex<float> offset) {
  const std::complex<T> z = turned(by);
  out[0] = std::plus<T>()(z.real(), by.real()) + T(offset.imag()) + T(Real<std::complex<T>>::kComplex);
  out[1] = T(tag) + T(Real<T>::kComplex) + T(Real<int>::kExact) + typename Real<std::complex<T>>::type(2);
}
template __global__ void rotate<float>(float*, std::complex<float>, char, std::complex<float>);
template __global__ void rotate<double>(double*, std::complex<double>, char, std::complex<float>);

__global__ void structures(std::complex<float>* out, Signal signal) {
  out[threadIdx.x] = std::complex<float>(signal.value.real() + float(signal.wide.imag()), float(sizeof(Signal)));
}

float on_host() { return phase(std::complex<float>(1, 2)) + Real<std::vector<float>>::zeros(2)[0]; }
