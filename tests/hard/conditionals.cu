// Conditionals around and in device code, __has_include, guards, #pragma once, #line, __FILE__, __LINE__.
#if __has_include(<vector>)
#include <vector>
#define HAVE_VECTOR 1
#endif
#if __has_include("no/such/header.h")
#error there is none
#endif
#include "parts/guarded.cuh"
#include "parts/once.cuh"
#include "parts/once.cuh"
#ifdef __CUDA_ARCH__
#define ON_DEVICE 1
#else
#define ON_DEVICE 0
#endif
#if defined(__CUDACC__) && HAVE_VECTOR
__device__ float chosen(float x) {
#if __CUDA_ARCH__ >= 800
  return x * 2;
#else
  return x * 3;
#endif
}
#else
this is no C++
#endif
#if 0
neither is this
#elif ON_DEVICE
__device__ float more(float x) { return x + 1; }
#else
__host__ __device__ float more(float x) { return x + 2; }
#endif

__global__ void conditional(float* out, float x, int* line, const char** file) {
#ifdef HAVE_VECTOR
  float sum = chosen(x) + more(x);
#else
  float sum = x;
#endif
#if ON_DEVICE
  sum += once(guarded(x));
#endif
  out[threadIdx.x] = sum;
#line 500 "somewhere.cu"
  *line = __LINE__;
  *file = __FILE__;
}
