// The vector types of CUDA, laid out as the GPU's compiler does, and make_*.
#pragma once

#include "cudahot_cpu/words.h"

#define CUDAHOT_CPU_VECTOR(name, T, align2, align4)                            \
  struct name##1 { T x; };                                                     \
  struct __align__(align2) name##2 { T x, y; };                                \
  struct name##3 { T x, y, z; };                                               \
  struct __align__(align4) name##4 { T x, y, z, w; };                          \
  inline constexpr name##1 make_##name##1(T x) { return {x}; }                 \
  inline constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  inline constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  inline constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

CUDAHOT_CPU_VECTOR(char, signed char, 2, 4)
CUDAHOT_CPU_VECTOR(uchar, unsigned char, 2, 4)
CUDAHOT_CPU_VECTOR(short, short, 4, 8)
CUDAHOT_CPU_VECTOR(ushort, unsigned short, 4, 8)
CUDAHOT_CPU_VECTOR(int, int, 8, 16)
CUDAHOT_CPU_VECTOR(uint, unsigned int, 8, 16)
CUDAHOT_CPU_VECTOR(long, long, 16, 16)
CUDAHOT_CPU_VECTOR(ulong, unsigned long, 16, 16)
CUDAHOT_CPU_VECTOR(longlong, long long, 16, 16)
CUDAHOT_CPU_VECTOR(ulonglong, unsigned long long, 16, 16)
CUDAHOT_CPU_VECTOR(float, float, 8, 16)
CUDAHOT_CPU_VECTOR(double, double, 16, 16)
#undef CUDAHOT_CPU_VECTOR

#define CUDAHOT_CPU_ALIGNED_VECTOR(name, T, alignment)                  \
  struct __align__(alignment) name##4_##alignment##a { T x, y, z, w; }; \
  inline constexpr name##4_##alignment##a make_##name##4_##alignment##a(T x, T y, T z, T w) { return {x, y, z, w}; }

CUDAHOT_CPU_ALIGNED_VECTOR(long, long, 16)
CUDAHOT_CPU_ALIGNED_VECTOR(long, long, 32)
CUDAHOT_CPU_ALIGNED_VECTOR(ulong, unsigned long, 16)
CUDAHOT_CPU_ALIGNED_VECTOR(ulong, unsigned long, 32)
CUDAHOT_CPU_ALIGNED_VECTOR(longlong, long long, 16)
CUDAHOT_CPU_ALIGNED_VECTOR(longlong, long long, 32)
CUDAHOT_CPU_ALIGNED_VECTOR(ulonglong, unsigned long long, 16)
CUDAHOT_CPU_ALIGNED_VECTOR(ulonglong, unsigned long long, 32)
CUDAHOT_CPU_ALIGNED_VECTOR(double, double, 16)
CUDAHOT_CPU_ALIGNED_VECTOR(double, double, 32)
#undef CUDAHOT_CPU_ALIGNED_VECTOR

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
