// What __half and __nv_bfloat16 have in common: 16 bits, arithmetic in float or double rounded once, to nearest even.
#pragma once

#include "cudahot_cpu/atomics.h"
#include "cudahot_cpu/math.h"
#include "cudahot_cpu/math_more.h"
#include "cudahot_cpu/rounding.h"
#include "cudahot_cpu/vectors.h"

namespace cudahot_cpu {

template <int mantissa_bits, int bias>
struct SmallFormat {
  static constexpr unsigned int kInfinity = 0x7fffu >> mantissa_bits << mantissa_bits;

  static constexpr unsigned short encode(double value, Rounding mode = to_nearest) {
    const unsigned long bits = __builtin_bit_cast(unsigned long, value);
    const unsigned int sign = static_cast<unsigned int>(bits >> 63) << 15;
    const unsigned long fraction = bits & 0xfffffffffffffUL;
    const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
    if (exponent == 1024) return static_cast<unsigned short>(fraction != 0 ? 0x7fffu : sign | kInfinity);
    const bool away = mode == up ? sign == 0 : mode == down && sign != 0;  // the larger magnitude
    if (exponent > bias) {
      const bool to_infinity = mode == to_nearest || away;
      return static_cast<unsigned short>(sign | (to_infinity ? kInfinity : kInfinity - 1));
    }
    const int lowest = 1 - bias;
    const bool normal = exponent >= lowest;
    int shift = 52 - mantissa_bits + (normal ? 0 : lowest - exponent);
    unsigned long whole = fraction | (exponent == -1023 ? 0 : 1UL << 52);
    if (shift > 62) {
      // So far below the least value that only whether it is zero matters.
      whole = whole != 0 ? 1 : 0;
      shift = 62;
    }
    unsigned long result = whole >> shift;
    const unsigned long rest = whole & ((1UL << shift) - 1);
    const unsigned long half = 1UL << (shift - 1);
    const bool round_up = mode == to_nearest ? rest > half || (rest == half && (result & 1) != 0) : away && rest != 0;
    result += round_up ? 1 : 0;
    // The carry of the addition moves into the exponent.
    if (normal) result += static_cast<unsigned long>(exponent + bias - 1) << mantissa_bits;
    return static_cast<unsigned short>(sign | result);
  }

  static constexpr float decode(unsigned short bits) {
    const unsigned int sign = (bits & 0x8000u) << 16;
    const unsigned int exponent = (bits & 0x7fffu) >> mantissa_bits;
    const unsigned int fraction = bits & ((1u << mantissa_bits) - 1);
    constexpr unsigned int kTop = 0x7fffu >> mantissa_bits;
    if (exponent == kTop) return __builtin_bit_cast(float, sign | 0x7f800000u | (fraction << (23 - mantissa_bits)));
    if (exponent == 0) {
      float scale = 1.0f;
      for (int i = 0; i < bias - 1 + mantissa_bits; ++i) scale *= 0.5f;
      const float magnitude = static_cast<float>(fraction) * scale;
      return sign != 0 ? -magnitude : magnitude;
    }
    return __builtin_bit_cast(float, sign | ((exponent + 127 - bias) << 23) | (fraction << (23 - mantissa_bits)));
  }
};

}  // namespace cudahot_cpu

#define CUDAHOT_CPU_SMALL_OPERATOR(T, op)                                                      \
  inline T operator op(T a, T b) { return T(static_cast<float>(a) op static_cast<float>(b)); } \
  inline T& operator op## = (T & a, T b) { return a = a op b; }
#define CUDAHOT_CPU_SMALL_COMPARISON(T, op, name)                                              \
  inline bool operator op(T a, T b) { return static_cast<float>(a) op static_cast<float>(b); } \
  inline bool __h##name(T a, T b) { return a op b; }
#define CUDAHOT_CPU_SMALL_UNORDERED(T, T2, op, name)                                                          \
  inline bool __h##name##u(T a, T b) { return __hisnan(a) || __hisnan(b) || a op b; }                         \
  inline T2 __h##name##2(T2 a, T2 b) { return T2(T(a.x op b.x ? 1.0f : 0.0f), T(a.y op b.y ? 1.0f : 0.0f)); } \
  inline bool __hb##name##2(T2 a, T2 b) { return a.x op b.x && a.y op b.y; }
#define CUDAHOT_CPU_SMALL_PAIRWISE(T2, name) \
  inline T2 name##2(T2 a, T2 b) { return T2(name(a.x, b.x), name(a.y, b.y)); }
#define CUDAHOT_CPU_SMALL_MATH(T, T2, name, function)                  \
  inline T h##name(T a) { return T(function(static_cast<float>(a))); } \
  inline T2 h2##name(T2 a) { return T2(h##name(a.x), h##name(a.y)); }

// T: the type; T2: its pair; Format: how 16 bits are read.
#define CUDAHOT_CPU_SMALL_FLOAT(T, T2, Format)                                                                 \
  struct T##_raw {                                                                                             \
    unsigned short x;                                                                                          \
  };                                                                                                           \
  struct __align__(2) T {                                                                                      \
    unsigned short __x;                                                                                        \
    T() = default;                                                                                             \
    constexpr T(T##_raw raw) : __x(raw.x) {}                                                                   \
    template <typename N, typename = typename cudahot_cpu::If<__is_arithmetic(N), void>::type>                 \
    constexpr T(N value) : __x(cudahot_cpu::Format::encode(static_cast<double>(value))) {}                     \
    constexpr operator float() const { return cudahot_cpu::Format::decode(__x); }                              \
    constexpr operator T##_raw() const { return {__x}; }                                                       \
    T& operator++() { return *this = T(static_cast<float>(*this) + 1.0f); }                                    \
    T& operator--() { return *this = T(static_cast<float>(*this) - 1.0f); }                                    \
    constexpr T operator+() const { return *this; }                                                            \
    constexpr T operator-() const { return T##_raw{static_cast<unsigned short>(__x ^ 0x8000u)}; }              \
  };                                                                                                           \
  struct __align__(4) T2 {                                                                                     \
    T x, y;                                                                                                    \
    T2() = default;                                                                                            \
    constexpr T2(T a, T b) : x(a), y(b) {}                                                                     \
    constexpr T2 operator-() const { return T2(-x, -y); }                                                      \
  };                                                                                                           \
  CUDAHOT_CPU_SMALL_OPERATOR(T, +)                                                                             \
  CUDAHOT_CPU_SMALL_OPERATOR(T, -)                                                                             \
  CUDAHOT_CPU_SMALL_OPERATOR(T, *)                                                                             \
  CUDAHOT_CPU_SMALL_OPERATOR(T, /)                                                                             \
  inline bool __hisnan(T a) { return isnan(static_cast<float>(a)); }                                           \
  inline int __hisinf(T a) { return isinf(static_cast<float>(a)) ? (static_cast<float>(a) < 0 ? -1 : 1) : 0; } \
  CUDAHOT_CPU_SMALL_COMPARISON(T, ==, eq)                                                                      \
  CUDAHOT_CPU_SMALL_COMPARISON(T, !=, ne)                                                                      \
  CUDAHOT_CPU_SMALL_COMPARISON(T, <, lt)                                                                       \
  CUDAHOT_CPU_SMALL_COMPARISON(T, <=, le)                                                                      \
  CUDAHOT_CPU_SMALL_COMPARISON(T, >, gt)                                                                       \
  CUDAHOT_CPU_SMALL_COMPARISON(T, >=, ge)                                                                      \
  CUDAHOT_CPU_SMALL_UNORDERED(T, T2, ==, eq)                                                                   \
  CUDAHOT_CPU_SMALL_UNORDERED(T, T2, !=, ne)                                                                   \
  CUDAHOT_CPU_SMALL_UNORDERED(T, T2, <, lt)                                                                    \
  CUDAHOT_CPU_SMALL_UNORDERED(T, T2, <=, le)                                                                   \
  CUDAHOT_CPU_SMALL_UNORDERED(T, T2, >, gt)                                                                    \
  CUDAHOT_CPU_SMALL_UNORDERED(T, T2, >=, ge)                                                                   \
  inline T __hadd(T a, T b) { return a + b; }                                                                  \
  inline T __hsub(T a, T b) { return a - b; }                                                                  \
  inline T __hmul(T a, T b) { return a * b; }                                                                  \
  inline T __hdiv(T a, T b) { return a / b; }                                                                  \
  inline T __hadd_rn(T a, T b) { return a + b; }                                                               \
  inline T __hsub_rn(T a, T b) { return a - b; }                                                               \
  inline T __hmul_rn(T a, T b) { return a * b; }                                                               \
  inline T __hadd_sat(T a, T b) { return T(__saturatef(static_cast<float>(a + b))); }                          \
  inline T __hsub_sat(T a, T b) { return T(__saturatef(static_cast<float>(a - b))); }                          \
  inline T __hmul_sat(T a, T b) { return T(__saturatef(static_cast<float>(a * b))); }                          \
  inline T __hfma(T a, T b, T c) {                                                                             \
    return T(fma(static_cast<double>(static_cast<float>(a)), static_cast<double>(static_cast<float>(b)),       \
                 static_cast<double>(static_cast<float>(c))));                                                 \
  }                                                                                                            \
  inline T __hfma_sat(T a, T b, T c) { return T(__saturatef(static_cast<float>(__hfma(a, b, c)))); }           \
  inline T __hfma_relu(T a, T b, T c) { return T(fmaxf(static_cast<float>(__hfma(a, b, c)), 0.0f)); }          \
  inline T __hneg(T a) { return -a; }                                                                          \
  inline T __habs(T a) { return T##_raw{static_cast<unsigned short>(a.__x & 0x7fffu)}; }                       \
  inline T __hmin(T a, T b) { return T(fminf(static_cast<float>(a), static_cast<float>(b))); }                 \
  inline T __hmax(T a, T b) { return T(fmaxf(static_cast<float>(a), static_cast<float>(b))); }                 \
  CUDAHOT_CPU_SMALL_PAIRWISE(T2, __hadd)                                                                       \
  CUDAHOT_CPU_SMALL_PAIRWISE(T2, __hsub)                                                                       \
  CUDAHOT_CPU_SMALL_PAIRWISE(T2, __hmul)                                                                       \
  CUDAHOT_CPU_SMALL_PAIRWISE(T2, __hmin)                                                                       \
  CUDAHOT_CPU_SMALL_PAIRWISE(T2, __hmax)                                                                       \
  inline T2 __h2div(T2 a, T2 b) { return T2(a.x / b.x, a.y / b.y); }                                           \
  inline T2 __hfma2(T2 a, T2 b, T2 c) { return T2(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)); }             \
  inline T2 __hneg2(T2 a) { return -a; }                                                                       \
  inline T2 __habs2(T2 a) { return T2(__habs(a.x), __habs(a.y)); }                                             \
  inline T2 operator+(T2 a, T2 b) { return __hadd2(a, b); }                                                    \
  inline T2 operator-(T2 a, T2 b) { return __hsub2(a, b); }                                                    \
  inline T2 operator*(T2 a, T2 b) { return __hmul2(a, b); }                                                    \
  inline T2 operator/(T2 a, T2 b) { return __h2div(a, b); }                                                    \
  inline T2& operator+=(T2& a, T2 b) { return a = a + b; }                                                     \
  inline T2& operator-=(T2& a, T2 b) { return a = a - b; }                                                     \
  inline T2& operator*=(T2& a, T2 b) { return a = a * b; }                                                     \
  inline T2& operator/=(T2& a, T2 b) { return a = a / b; }                                                     \
  inline bool operator==(T2 a, T2 b) { return __hbeq2(a, b); }                                                 \
  inline bool operator!=(T2 a, T2 b) { return !__hbeq2(a, b); }                                                \
  inline float __low2float(T2 a) { return static_cast<float>(a.x); }                                           \
  inline float __high2float(T2 a) { return static_cast<float>(a.y); }                                          \
  inline T2 __lowhigh2highlow(T2 a) { return T2(a.y, a.x); }                                                   \
  CUDAHOT_CPU_SMALL_MATH(T, T2, ceil, ceilf)                                                                   \
  CUDAHOT_CPU_SMALL_MATH(T, T2, cos, cosf)                                                                     \
  CUDAHOT_CPU_SMALL_MATH(T, T2, exp, expf)                                                                     \
  CUDAHOT_CPU_SMALL_MATH(T, T2, exp10, exp10f)                                                                 \
  CUDAHOT_CPU_SMALL_MATH(T, T2, exp2, exp2f)                                                                   \
  CUDAHOT_CPU_SMALL_MATH(T, T2, floor, floorf)                                                                 \
  CUDAHOT_CPU_SMALL_MATH(T, T2, log, logf)                                                                     \
  CUDAHOT_CPU_SMALL_MATH(T, T2, log10, log10f)                                                                 \
  CUDAHOT_CPU_SMALL_MATH(T, T2, log2, log2f)                                                                   \
  CUDAHOT_CPU_SMALL_MATH(T, T2, rcp, 1.0f /)                                                                   \
  CUDAHOT_CPU_SMALL_MATH(T, T2, rint, rintf)                                                                   \
  CUDAHOT_CPU_SMALL_MATH(T, T2, rsqrt, rsqrtf)                                                                 \
  CUDAHOT_CPU_SMALL_MATH(T, T2, sin, sinf)                                                                     \
  CUDAHOT_CPU_SMALL_MATH(T, T2, sqrt, sqrtf)                                                                   \
  CUDAHOT_CPU_SMALL_MATH(T, T2, tanh, tanhf)                                                                   \
  CUDAHOT_CPU_SMALL_MATH(T, T2, trunc, truncf)                                                                 \
  CUDAHOT_CPU_ATOMIC(atomicAdd, T, old + value)                                                                \
  CUDAHOT_CPU_ATOMIC(atomicAdd, T2, old + value)

// Conversions whose names hold the type's: `type` and `pair` as in __float2half and __floats2half2_rn.
#define CUDAHOT_CPU_SMALL_ROUNDED(T, Format, type, suffix, mode)                                             \
  inline T __float2##type##_##suffix(float a) {                                                              \
    return T##_raw{cudahot_cpu::Format::encode(static_cast<double>(a), mode)};                               \
  }                                                                                                          \
  inline int __##type##2int_##suffix(T a) { return __float2int_##suffix(static_cast<float>(a)); }            \
  inline unsigned int __##type##2uint_##suffix(T a) { return __float2uint_##suffix(static_cast<float>(a)); } \
  inline T __int2##type##_##suffix(int a) {                                                                  \
    return T##_raw{cudahot_cpu::Format::encode(static_cast<double>(a), mode)};                               \
  }                                                                                                          \
  inline T __uint2##type##_##suffix(unsigned int a) {                                                        \
    return T##_raw{cudahot_cpu::Format::encode(static_cast<double>(a), mode)};                               \
  }
#define CUDAHOT_CPU_SMALL_CONVERSIONS(T, T2, Format, type, pair)                                       \
  CUDAHOT_CPU_SMALL_ROUNDED(T, Format, type, rn, cudahot_cpu::to_nearest)                              \
  CUDAHOT_CPU_SMALL_ROUNDED(T, Format, type, rz, cudahot_cpu::to_zero)                                 \
  CUDAHOT_CPU_SMALL_ROUNDED(T, Format, type, ru, cudahot_cpu::up)                                      \
  CUDAHOT_CPU_SMALL_ROUNDED(T, Format, type, rd, cudahot_cpu::down)                                    \
  inline T __float2##type(float a) { return T(a); }                                                    \
  inline T __double2##type(double a) { return T(a); }                                                  \
  inline float __##type##2float(T a) { return static_cast<float>(a); }                                 \
  inline T2 __float2##pair##_rn(float a) { return T2(T(a), T(a)); }                                    \
  inline T2 __floats2##pair##_rn(float a, float b) { return T2(T(a), T(b)); }                          \
  inline T2 __float22##pair##_rn(float2 a) { return T2(T(a.x), T(a.y)); }                              \
  inline float2 __##pair##2float2(T2 a) { return {static_cast<float>(a.x), static_cast<float>(a.y)}; } \
  inline T __low2##type(T2 a) { return a.x; }                                                          \
  inline T __high2##type(T2 a) { return a.y; }                                                         \
  inline T2 __low2##pair(T2 a) { return T2(a.x, a.x); }                                                \
  inline T2 __high2##pair(T2 a) { return T2(a.y, a.y); }                                               \
  inline T2 __lows2##pair(T2 a, T2 b) { return T2(a.x, b.x); }                                         \
  inline T2 __highs2##pair(T2 a, T2 b) { return T2(a.y, b.y); }                                        \
  inline T2 __##type##2##pair(T a) { return T2(a, a); }                                                \
  inline T2 __halves2##pair(T a, T b) { return T2(a, b); }                                             \
  inline T2 make_##pair(T a, T b) { return T2(a, b); }                                                 \
  inline short __##type##_as_short(T a) { return static_cast<short>(a.__x); }                          \
  inline unsigned short __##type##_as_ushort(T a) { return a.__x; }                                    \
  inline T __short_as_##type(short a) { return T##_raw{static_cast<unsigned short>(a)}; }              \
  inline T __ushort_as_##type(unsigned short a) { return T##_raw{a}; }
