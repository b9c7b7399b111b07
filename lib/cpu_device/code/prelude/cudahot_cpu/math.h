// Mathematical functions: those of the C library under the names that CUDA gives them.
#pragma once

#include "cudahot_cpu/words.h"

// name: in double as `name`, in float as `namef` and as an overload of `name`.
#define CUDAHOT_CPU_LIBM_1(name)            \
  extern "C" double name(double) noexcept;  \
  extern "C" float name##f(float) noexcept; \
  inline float name(float x) { return name##f(x); }
#define CUDAHOT_CPU_LIBM_2(name)                   \
  extern "C" double name(double, double) noexcept; \
  extern "C" float name##f(float, float) noexcept; \
  inline float name(float x, float y) { return name##f(x, y); }
#define CUDAHOT_CPU_LIBM_TO(R, name)    \
  extern "C" R name(double) noexcept;   \
  extern "C" R name##f(float) noexcept; \
  inline R name(float x) { return name##f(x); }

CUDAHOT_CPU_LIBM_1(acos)
CUDAHOT_CPU_LIBM_1(acosh)
CUDAHOT_CPU_LIBM_1(asin)
CUDAHOT_CPU_LIBM_1(asinh)
CUDAHOT_CPU_LIBM_1(atan)
CUDAHOT_CPU_LIBM_1(atanh)
CUDAHOT_CPU_LIBM_1(cbrt)
CUDAHOT_CPU_LIBM_1(ceil)
CUDAHOT_CPU_LIBM_1(cos)
CUDAHOT_CPU_LIBM_1(cosh)
CUDAHOT_CPU_LIBM_1(erf)
CUDAHOT_CPU_LIBM_1(erfc)
CUDAHOT_CPU_LIBM_1(exp)
CUDAHOT_CPU_LIBM_1(exp10)
CUDAHOT_CPU_LIBM_1(exp2)
CUDAHOT_CPU_LIBM_1(expm1)
CUDAHOT_CPU_LIBM_1(fabs)
CUDAHOT_CPU_LIBM_1(floor)
CUDAHOT_CPU_LIBM_1(j0)
CUDAHOT_CPU_LIBM_1(j1)
CUDAHOT_CPU_LIBM_1(lgamma)
CUDAHOT_CPU_LIBM_1(log)
CUDAHOT_CPU_LIBM_1(log10)
CUDAHOT_CPU_LIBM_1(log1p)
CUDAHOT_CPU_LIBM_1(log2)
CUDAHOT_CPU_LIBM_1(logb)
CUDAHOT_CPU_LIBM_1(nearbyint)
CUDAHOT_CPU_LIBM_1(rint)
CUDAHOT_CPU_LIBM_1(round)
CUDAHOT_CPU_LIBM_1(sin)
CUDAHOT_CPU_LIBM_1(sinh)
CUDAHOT_CPU_LIBM_1(sqrt)
CUDAHOT_CPU_LIBM_1(tan)
CUDAHOT_CPU_LIBM_1(tanh)
CUDAHOT_CPU_LIBM_1(tgamma)
CUDAHOT_CPU_LIBM_1(trunc)
CUDAHOT_CPU_LIBM_1(y0)
CUDAHOT_CPU_LIBM_1(y1)
CUDAHOT_CPU_LIBM_2(atan2)
CUDAHOT_CPU_LIBM_2(copysign)
CUDAHOT_CPU_LIBM_2(fdim)
CUDAHOT_CPU_LIBM_2(fmax)
CUDAHOT_CPU_LIBM_2(fmin)
CUDAHOT_CPU_LIBM_2(fmod)
CUDAHOT_CPU_LIBM_2(hypot)
CUDAHOT_CPU_LIBM_2(nextafter)
CUDAHOT_CPU_LIBM_2(pow)
CUDAHOT_CPU_LIBM_2(remainder)
CUDAHOT_CPU_LIBM_TO(int, ilogb)
CUDAHOT_CPU_LIBM_TO(long, lrint)
CUDAHOT_CPU_LIBM_TO(long, lround)
CUDAHOT_CPU_LIBM_TO(long long, llrint)
CUDAHOT_CPU_LIBM_TO(long long, llround)
#undef CUDAHOT_CPU_LIBM_1
#undef CUDAHOT_CPU_LIBM_2
#undef CUDAHOT_CPU_LIBM_TO

extern "C" {
double fma(double, double, double) noexcept;
float fmaf(float, float, float) noexcept;
double frexp(double, int*) noexcept;
float frexpf(float, int*) noexcept;
double ldexp(double, int) noexcept;
float ldexpf(float, int) noexcept;
double scalbn(double, int) noexcept;
float scalbnf(float, int) noexcept;
double scalbln(double, long) noexcept;
float scalblnf(float, long) noexcept;
double modf(double, double*) noexcept;
float modff(float, float*) noexcept;
double remquo(double, double, int*) noexcept;
float remquof(float, float, int*) noexcept;
double jn(int, double) noexcept;
float jnf(int, float) noexcept;
double yn(int, double) noexcept;
float ynf(int, float) noexcept;
double nan(const char*) noexcept;
float nanf(const char*) noexcept;
void sincos(double, double*, double*) noexcept;
void sincosf(float, float*, float*) noexcept;
}

inline float fma(float x, float y, float z) { return fmaf(x, y, z); }
inline float frexp(float x, int* exponent) { return frexpf(x, exponent); }
inline float ldexp(float x, int exponent) { return ldexpf(x, exponent); }
inline float scalbn(float x, int exponent) { return scalbnf(x, exponent); }
inline float scalbln(float x, long exponent) { return scalblnf(x, exponent); }
inline float modf(float x, float* whole) { return modff(x, whole); }
inline float remquo(float x, float y, int* quotient) { return remquof(x, y, quotient); }
inline void sincos(float x, float* sine, float* cosine) { sincosf(x, sine, cosine); }

inline float pow(float x, int y) { return powf(x, static_cast<float>(y)); }
inline double pow(double x, int y) { return pow(x, static_cast<double>(y)); }

namespace cudahot_cpu {

template <typename T>
constexpr bool is_integer = __is_integral(T);

template <bool condition, typename T>
struct If {};
template <typename T>
struct If<true, T> {
  using type = T;
};

// What a function of two numbers of different types computes in, as in <cmath>: double.
template <typename A, typename B>
using Mixed = typename If<__is_arithmetic(A) && __is_arithmetic(B) && !__is_same(A, B), double>::type;
template <typename A>
using Whole = typename If<is_integer<A>, double>::type;

}  // namespace cudahot_cpu

#define CUDAHOT_CPU_OF_INTEGER(name)     \
  template <typename A>                  \
  cudahot_cpu::Whole<A> name(A x) {      \
    return name(static_cast<double>(x)); \
  }
CUDAHOT_CPU_OF_INTEGER(acos)
CUDAHOT_CPU_OF_INTEGER(asin)
CUDAHOT_CPU_OF_INTEGER(atan)
CUDAHOT_CPU_OF_INTEGER(cbrt)
CUDAHOT_CPU_OF_INTEGER(ceil)
CUDAHOT_CPU_OF_INTEGER(cos)
CUDAHOT_CPU_OF_INTEGER(cosh)
CUDAHOT_CPU_OF_INTEGER(exp)
CUDAHOT_CPU_OF_INTEGER(exp2)
CUDAHOT_CPU_OF_INTEGER(fabs)
CUDAHOT_CPU_OF_INTEGER(floor)
CUDAHOT_CPU_OF_INTEGER(log)
CUDAHOT_CPU_OF_INTEGER(log10)
CUDAHOT_CPU_OF_INTEGER(log2)
CUDAHOT_CPU_OF_INTEGER(round)
CUDAHOT_CPU_OF_INTEGER(sin)
CUDAHOT_CPU_OF_INTEGER(sinh)
CUDAHOT_CPU_OF_INTEGER(sqrt)
CUDAHOT_CPU_OF_INTEGER(tan)
CUDAHOT_CPU_OF_INTEGER(tanh)
#undef CUDAHOT_CPU_OF_INTEGER

#define CUDAHOT_CPU_OF_MIXED(name)                               \
  template <typename A, typename B>                              \
  cudahot_cpu::Mixed<A, B> name(A x, B y) {                      \
    return name(static_cast<double>(x), static_cast<double>(y)); \
  }
CUDAHOT_CPU_OF_MIXED(atan2)
CUDAHOT_CPU_OF_MIXED(copysign)
CUDAHOT_CPU_OF_MIXED(fmax)
CUDAHOT_CPU_OF_MIXED(fmin)
CUDAHOT_CPU_OF_MIXED(fmod)
CUDAHOT_CPU_OF_MIXED(hypot)
CUDAHOT_CPU_OF_MIXED(pow)
#undef CUDAHOT_CPU_OF_MIXED

inline constexpr int abs(int x) { return x < 0 ? -x : x; }
inline constexpr long abs(long x) { return x < 0 ? -x : x; }
inline constexpr long long abs(long long x) { return x < 0 ? -x : x; }
inline float abs(float x) { return fabsf(x); }
inline double abs(double x) { return fabs(x); }
inline constexpr long labs(long x) { return abs(x); }
inline constexpr long long llabs(long long x) { return abs(x); }

#define CUDAHOT_CPU_CLASSIFY(name, builtin)                  \
  inline constexpr bool name(float x) { return builtin(x); } \
  inline constexpr bool name(double x) { return builtin(x); }
CUDAHOT_CPU_CLASSIFY(isfinite, __builtin_isfinite)
CUDAHOT_CPU_CLASSIFY(isinf, __builtin_isinf)
CUDAHOT_CPU_CLASSIFY(isnan, __builtin_isnan)
CUDAHOT_CPU_CLASSIFY(signbit, __builtin_signbit)
#undef CUDAHOT_CPU_CLASSIFY

// min and max for every pair of types that CUDA has them for; NaN gives way to a number.
#define CUDAHOT_CPU_MIN_MAX(R, A, B)                                                      \
  inline constexpr R min(A a, B b) {                                                      \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }                                                                                       \
  inline constexpr R max(A a, B b) {                                                      \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(b) : static_cast<R>(a); \
  }
#define CUDAHOT_CPU_MIN_MAX_SIGNS(S, U) \
  CUDAHOT_CPU_MIN_MAX(S, S, S)          \
  CUDAHOT_CPU_MIN_MAX(U, U, U)          \
  CUDAHOT_CPU_MIN_MAX(U, S, U)          \
  CUDAHOT_CPU_MIN_MAX(U, U, S)
CUDAHOT_CPU_MIN_MAX_SIGNS(int, unsigned int)
CUDAHOT_CPU_MIN_MAX_SIGNS(long, unsigned long)
CUDAHOT_CPU_MIN_MAX_SIGNS(long long, unsigned long long)
#undef CUDAHOT_CPU_MIN_MAX_SIGNS
#undef CUDAHOT_CPU_MIN_MAX
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(static_cast<double>(a), b); }
inline double max(float a, double b) { return fmax(static_cast<double>(a), b); }
inline double min(double a, float b) { return fmin(a, static_cast<double>(b)); }
inline double max(double a, float b) { return fmax(a, static_cast<double>(b)); }
inline unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
inline unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }
