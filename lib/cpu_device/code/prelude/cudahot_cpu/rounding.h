// Conversions and arithmetic with a stated rounding, bit casts, and the fast intrinsics.
#pragma once

#include "cudahot_cpu/math.h"

inline constexpr int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
inline constexpr unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
inline constexpr float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
inline constexpr float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
inline constexpr long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
inline constexpr double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
inline constexpr int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
inline constexpr int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
inline constexpr double __hiloint2double(int high, int low) {
  return __longlong_as_double((static_cast<long long>(high) << 32) | static_cast<unsigned int>(low));
}

namespace cudahot_cpu {

// Rounding modes as the processor's control register has them.
enum Rounding : unsigned int { to_nearest = 0, down = 0x2000, up = 0x4000, to_zero = 0x6000 };

class RoundingScope {
 public:
  explicit RoundingScope(Rounding mode) : saved_(__builtin_ia32_stmxcsr()) {
    __builtin_ia32_ldmxcsr((saved_ & ~0x6000u) | mode);
  }
  ~RoundingScope() { __builtin_ia32_ldmxcsr(saved_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  unsigned int saved_;
};

// Volatile operands and results keep the operation between the two changes of the mode.
template <Rounding mode, typename R, typename Operation, typename... T>
__attribute__((noinline)) R rounded(Operation operation, T... operands) {
  if constexpr (mode == to_nearest) {
    return operation(operands...);
  } else {
    const RoundingScope scope(mode);
    return [&](volatile T... kept) {
      volatile R result = operation(static_cast<T>(kept)...);
      return static_cast<R>(result);
    }(operands...);
  }
}

template <Rounding mode, typename T>
T to_whole(T x) {
  if constexpr (mode == to_nearest) return rint(x);
  else if constexpr (mode == down) return floor(x);
  else if constexpr (mode == up) return ceil(x);
  else return trunc(x);
}

}  // namespace cudahot_cpu

#define CUDAHOT_CPU_EACH_ROUNDING(define, ...)                                                   \
  define(rn, cudahot_cpu::to_nearest, __VA_ARGS__) define(rz, cudahot_cpu::to_zero, __VA_ARGS__) \
      define(ru, cudahot_cpu::up, __VA_ARGS__) define(rd, cudahot_cpu::down, __VA_ARGS__)

#define CUDAHOT_CPU_UNARY(suffix, mode, name, R, T, expression)                   \
  inline R name##suffix(T a) {                                                    \
    return cudahot_cpu::rounded<mode, R>([](T a) -> R { return expression; }, a); \
  }
#define CUDAHOT_CPU_BINARY(suffix, mode, name, T, expression)                             \
  inline T name##suffix(T a, T b) {                                                       \
    return cudahot_cpu::rounded<mode, T>([](T a, T b) -> T { return expression; }, a, b); \
  }
#define CUDAHOT_CPU_TERNARY(suffix, mode, name, T, expression)                                    \
  inline T name##suffix(T a, T b, T c) {                                                          \
    return cudahot_cpu::rounded<mode, T>([](T a, T b, T c) -> T { return expression; }, a, b, c); \
  }
// To an integer type: values out of range become its nearest end, NaN becomes 0.
#define CUDAHOT_CPU_TO_INTEGER(suffix, mode, name, R, T) \
  inline R name##suffix(T a) { return static_cast<R>(cudahot_cpu::to_whole<mode>(a)); }

CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_BINARY, __fadd_, float, a + b)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_BINARY, __fsub_, float, a - b)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_BINARY, __fmul_, float, a* b)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_BINARY, __fdiv_, float, a / b)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_BINARY, __dadd_, double, a + b)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_BINARY, __dsub_, double, a - b)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_BINARY, __dmul_, double, a* b)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_BINARY, __ddiv_, double, a / b)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_TERNARY, __fmaf_, float, fmaf(a, b, c))
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_TERNARY, __fmaf_ieee_, float, fmaf(a, b, c))
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_TERNARY, __fma_, double, fma(a, b, c))
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_UNARY, __frcp_, float, float, 1.0f / a)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_UNARY, __fsqrt_, float, float, sqrtf(a))
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_UNARY, __drcp_, double, double, 1.0 / a)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_UNARY, __dsqrt_, double, double, sqrt(a))
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_UNARY, __double2float_, float, double, static_cast<float>(a))
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_UNARY, __int2float_, float, int, static_cast<float>(a))
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_UNARY, __uint2float_, float, unsigned int, static_cast<float>(a))
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_UNARY, __ll2float_, float, long long, static_cast<float>(a))
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_UNARY, __ull2float_, float, unsigned long long, static_cast<float>(a))
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_UNARY, __ll2double_, double, long long, static_cast<double>(a))
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_UNARY, __ull2double_, double, unsigned long long, static_cast<double>(a))
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_TO_INTEGER, __float2int_, int, float)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_TO_INTEGER, __float2uint_, unsigned int, float)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_TO_INTEGER, __float2ll_, long long, float)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_TO_INTEGER, __float2ull_, unsigned long long, float)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_TO_INTEGER, __double2int_, int, double)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_TO_INTEGER, __double2uint_, unsigned int, double)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_TO_INTEGER, __double2ll_, long long, double)
CUDAHOT_CPU_EACH_ROUNDING(CUDAHOT_CPU_TO_INTEGER, __double2ull_, unsigned long long, double)
inline double __int2double_rn(int a) { return a; }
inline double __uint2double_rn(unsigned int a) { return a; }
#undef CUDAHOT_CPU_EACH_ROUNDING
#undef CUDAHOT_CPU_UNARY
#undef CUDAHOT_CPU_BINARY
#undef CUDAHOT_CPU_TERNARY
#undef CUDAHOT_CPU_TO_INTEGER

// The fast intrinsics are the accurate functions here: nearer to the true value than on any GPU.
inline float __cosf(float x) { return cosf(x); }
inline float __sinf(float x) { return sinf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __tanhf(float x) { return tanhf(x); }
inline void __sincosf(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return exp10f(x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __frsqrt_rn(float x) { return static_cast<float>(1.0 / sqrt(static_cast<double>(x))); }
// NaN becomes 0.
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float saturate(float x) { return __saturatef(x); }
