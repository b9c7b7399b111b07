// Overloads for host and device, of which some are lost; templates choose among them.
#include <cmath>
#include <string>

inline std::string shown(const std::string& text) { return text; }
__host__ __device__ inline int shown(int value) { return value + 1; }
__device__ inline float shown(float value) { return value * 0.5f; }
inline double shown(long double value) { return static_cast<double>(value); }

template <typename T>
__device__ T twice(T value) {
  return static_cast<T>(shown(value)) + static_cast<T>(shown(value));
}

__device__ float length(float x) { return fabsf(x); }
__device__ float length(float2 v) { return sqrtf(v.x * v.x + v.y * v.y); }
__device__ float length(float3 v) { return sqrtf(v.x * v.x + v.y * v.y + v.z * v.z); }

__global__ void overloads(float* out, int n, float3 v) {
  out[0] = twice(n) + twice(v.x);
  out[1] = length(v.x) + length(make_float2(v.x, v.y)) + length(v) + std::abs(v.z) + std::sqrt(v.y);
}
