// Explicit and partial specialisations of classes, functions and variables; members of templates that
// are defined outside; explicit instantiations.
#include <iostream>

template <typename T>
struct Traits {
  static constexpr int kSize = 1;
  __device__ static T scaled(T value) { return value; }
};
template <>
struct Traits<float> {
  static constexpr int kSize = 4;
  __device__ static float scaled(float value) { return value * 2; }
};
template <typename T>
struct Traits<T*> {
  static constexpr int kSize = 8;
  __device__ static T scaled(T* value) { return Traits<T>::scaled(*value); }
};
template <typename T, int N>
struct Array {
  T values[N];
  __device__ T sum() const;
  template <typename F>
  __device__ T folded(F function) const;
  void print() const;
};
template <typename T, int N>
__device__ T Array<T, N>::sum() const {
  T total{};
  for (int i = 0; i < N; ++i) total += values[i];
  return total;
}
template <typename T, int N>
template <typename F>
__device__ T Array<T, N>::folded(F function) const {
  T total{};
  for (int i = 0; i < N; ++i) total = function(total, values[i]);
  return total;
}
template <typename T, int N>
void Array<T, N>::print() const {
  for (const T& value : values) std::cout << value << '\n';
}
template <typename T>
__device__ T zero() {
  return T{};
}
template <>
__device__ float zero<float>() {
  return 0.25f;
}
template <typename T>
constexpr T kHalf = T(1) / T(2);
template <>
constexpr int kHalf<int> = 7;

struct Largest {
  template <typename T>
  __device__ T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};

template <typename T, int N>
__global__ void specialised(T* out, T* in) {
  Array<T, N> array{};
  for (int i = 0; i < N; ++i) array.values[i] = Traits<T*>::scaled(in + i) + zero<T>() + kHalf<T>;
  out[threadIdx.x] = array.sum() + array.folded(Largest{}) + T(Traits<T>::kSize + Traits<T*>::kSize);
}
template __global__ void specialised<float, 4>(float*, float*);
template __global__ void specialised<int, 3>(int*, int*);
template struct Array<double, 2>;
