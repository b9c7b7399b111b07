// nvcc: -std=c++20
#include <concepts>
#include <type_traits>

template <typename T>
concept Number = std::is_arithmetic_v<T>;
template <typename T>
concept HasLength = requires(T value) {
  { value.length() } -> std::convertible_to<float>;
};
struct Segment {
  float a, b;
  __host__ __device__ float length() const { return b - a; }
};
template <Number T>
__device__ float measured(T value) {
  return static_cast<float>(value);
}
template <HasLength T>
__device__ float measured(const T& value) {
  return value.length();
}
__device__ auto doubled(Number auto value) { return value + value; }

__global__ void constrained(float* out, Segment segment, int n) {
  out[0] = measured(segment) + measured(n) + measured(doubled(0.5f));
}
