// std:: in device code, as --expt-relaxed-constexpr allows it: utilities and type traits.
#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <numeric>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

template <typename T, std::enable_if_t<std::is_floating_point<T>::value, int> = 0>
__device__ T halved(T value) {
  return value / 2;
}
template <typename T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
__device__ T halved(T value) {
  return value >> 1;
}
template <typename T>
__device__ std::remove_reference_t<T> passed(T&& value) {
  return std::forward<T>(value);
}
template <typename... T>
__device__ constexpr auto first_of(T... values) {
  return (values + ...);
}

__global__ void standard(float* out, float x, int n) {
  const float low = std::min(x, 2.0f);
  const float high = std::max(low, std::numeric_limits<float>::lowest());
  float a = low, b = high;
  float c = std::move(a);
  std::conditional_t<(sizeof(void*) > 4), double, float> d = b;
  static_assert(std::is_same_v<std::decay_t<const float&>, float>);
  out[threadIdx.x] = halved(x) + halved(n) + passed(c) + static_cast<float>(d) + first_of(1, 2, 3);
}

std::tuple<int, std::vector<int>> on_host() { return {1, std::vector<int>(3)}; }
