// Functions that CUDA has and the C library has not.
#pragma once

#include "cudahot_cpu/math.h"

namespace cudahot_cpu {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSqrt2 = 1.41421356237309504880;
constexpr double kSqrtPi = 1.77245385090551602730;

// Sine and cosine of pi * x; exact at multiples of a half.
struct SineCosine {
  double sine, cosine;
};
inline SineCosine sine_cosine_of_pi(double x) {
  const double turn = fmod(x, 2.0);
  const double quarters = rint(2.0 * turn);
  const double angle = kPi * (turn - 0.5 * quarters);
  const double s = sin(angle);
  const double c = cos(angle);
  switch (static_cast<int>(quarters) & 3) {
    case 0:
      return {s, c};
    case 1:
      return {c, -s};
    case 2:
      return {-s, -c};
    default:
      return {-c, s};
  }
}

// Newton and Halley on erfc from an estimate of the tail; about 2 ulp.
inline double inverse_erfc(double y) {
  if (!(y > 0.0 && y < 2.0)) return y == 0.0 ? __builtin_inf() : y == 2.0 ? -__builtin_inf() : __builtin_nan("");
  if (y > 1.0) return -inverse_erfc(2.0 - y);
  const double t = sqrt(-2.0 * log(0.5 * y));
  double x = -0.70711 * ((2.30753 + t * 0.27061) / (1.0 + t * (0.99229 + t * 0.04481)) - t);
  for (int i = 0; i < 3; ++i) {
    const double error = erfc(x) - y;
    x += error / (2.0 / kSqrtPi * exp(-x * x) - x * error);
  }
  return x;
}
inline double inverse_erf(double y) {
  if (fabs(y) > 0.5) return y < 0.0 ? -inverse_erfc(1.0 + y) : inverse_erfc(1.0 - y);
  double x = 0.5 * kSqrtPi * y;
  for (int i = 0; i < 4; ++i) {
    const double error = erf(x) - y;
    x -= error / (2.0 / kSqrtPi * exp(-x * x) + x * error);
  }
  return y == 0.0 ? y : x;
}

inline double scaled_erfc(double x) {
  if (x < 25.0) {
    const double square = x * x;
    return exp(square) * (1.0 + fma(x, x, -square)) * erfc(x);
  }
  const double q = 1.0 / (x * x);
  return (1.0 - q * (0.5 - q * (0.75 - q * (1.875 - q * 6.5625)))) / (x * kSqrtPi);
}

// The power series: all terms have one sign. order 0 or 1.
inline double modified_bessel(int order, double x) {
  const double quarter = 0.25 * x * x;
  double term = order == 0 ? 1.0 : 0.5 * x;
  double sum = term;
  for (double k = 1.0; fabs(term) > 1e-18 * fabs(sum) && isfinite(sum); k += 1.0) {
    term *= quarter / (k * (k + order));
    sum += term;
  }
  return sum;
}

template <typename T>
T norm_of(int count, const T* values) {
  T scale = 0;
  for (int i = 0; i < count; ++i) scale = fmax(scale, fabs(values[i]));
  if (scale == 0 || !isfinite(scale)) return scale;
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += static_cast<double>(values[i] / scale) * static_cast<double>(values[i] / scale);
  return static_cast<T>(static_cast<double>(scale) * sqrt(sum));
}

}  // namespace cudahot_cpu

// In double, in float computed in double, and the overload for float.
#define CUDAHOT_CPU_MORE_1(name, expression)                                                 \
  inline double name(double x) { return expression; }                                        \
  inline float name##f(float x) { return static_cast<float>(name(static_cast<double>(x))); } \
  inline float name(float x) { return name##f(x); }

CUDAHOT_CPU_MORE_1(rsqrt, 1.0 / sqrt(x))
CUDAHOT_CPU_MORE_1(rcbrt, 1.0 / cbrt(x))
CUDAHOT_CPU_MORE_1(sinpi, cudahot_cpu::sine_cosine_of_pi(x).sine)
CUDAHOT_CPU_MORE_1(cospi, cudahot_cpu::sine_cosine_of_pi(x).cosine)
CUDAHOT_CPU_MORE_1(erfinv, cudahot_cpu::inverse_erf(x))
CUDAHOT_CPU_MORE_1(erfcinv, cudahot_cpu::inverse_erfc(x))
CUDAHOT_CPU_MORE_1(erfcx, cudahot_cpu::scaled_erfc(x))
CUDAHOT_CPU_MORE_1(normcdf, 0.5 * erfc(-x / cudahot_cpu::kSqrt2))
CUDAHOT_CPU_MORE_1(normcdfinv, -cudahot_cpu::kSqrt2* cudahot_cpu::inverse_erfc(2.0 * x))
CUDAHOT_CPU_MORE_1(cyl_bessel_i0, cudahot_cpu::modified_bessel(0, x))
CUDAHOT_CPU_MORE_1(cyl_bessel_i1, cudahot_cpu::modified_bessel(1, x))
#undef CUDAHOT_CPU_MORE_1

inline void sincospi(double x, double* sine, double* cosine) {
  const auto both = cudahot_cpu::sine_cosine_of_pi(x);
  *sine = both.sine;
  *cosine = both.cosine;
}
inline void sincospif(float x, float* sine, float* cosine) {
  const auto both = cudahot_cpu::sine_cosine_of_pi(static_cast<double>(x));
  *sine = static_cast<float>(both.sine);
  *cosine = static_cast<float>(both.cosine);
}
inline void sincospi(float x, float* sine, float* cosine) { sincospif(x, sine, cosine); }

#define CUDAHOT_CPU_NORMS(T, f)                                                                     \
  inline T norm##f(int count, const T* values) { return cudahot_cpu::norm_of(count, values); }      \
  inline T rnorm##f(int count, const T* values) { return 1 / cudahot_cpu::norm_of(count, values); } \
  inline T rhypot##f(T a, T b) { return 1 / hypot(a, b); }                                          \
  inline T norm3d##f(T a, T b, T c) {                                                               \
    const T values[] = {a, b, c};                                                                   \
    return cudahot_cpu::norm_of(3, values);                                                         \
  }                                                                                                 \
  inline T rnorm3d##f(T a, T b, T c) { return 1 / norm3d##f(a, b, c); }                             \
  inline T norm4d##f(T a, T b, T c, T d) {                                                          \
    const T values[] = {a, b, c, d};                                                                \
    return cudahot_cpu::norm_of(4, values);                                                         \
  }                                                                                                 \
  inline T rnorm4d##f(T a, T b, T c, T d) { return 1 / norm4d##f(a, b, c, d); }
CUDAHOT_CPU_NORMS(double, )
CUDAHOT_CPU_NORMS(float, f)
#undef CUDAHOT_CPU_NORMS
inline float rhypot(float a, float b) { return rhypotf(a, b); }
