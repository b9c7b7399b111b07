// Functions of the CUDA Math API, each as F(in a kernel, exact, most): with x in [-3.1, 3.1], p in
// (0, 5.5], q whole multiples of 0.5 up to 100,000; `exact` is computed in long double, which holds
// more bits than any result; `most` is the largest error of both sides in units in the last place.
//
// A GPU's errors are those of the CUDA C++ Programming Guide, "Mathematical Functions", the CPU
// device's those of glibc's manual, "Known Maximum Errors in Math Functions": `most` is the larger.
#pragma once

#define CUDAHOT_FLOAT_FUNCTIONS(F)                          \
  F(sinf(x), sin(x), 2)                                     \
  F(sinf(q), sin(q), 2)                                     \
  F(cosf(x), cos(x), 2)                                     \
  F(cosf(q), cos(q), 2)                                     \
  F(tanf(x), tan(x), 4)                                     \
  F(sinpif(x), sin(kPi* x), 1)                              \
  F(cospif(x), cos(kPi* x), 1)                              \
  F(asinf(x / 4), asin(x / 4), 2)                           \
  F(acosf(x / 4), acos(x / 4), 2)                           \
  F(atanf(x), atan(x), 2)                                   \
  F(atan2f(x, p), atan2(x, p), 3)                           \
  F(sinhf(x), sinh(x), 3)                                   \
  F(coshf(x), cosh(x), 2)                                   \
  F(tanhf(x), tanh(x), 2)                                   \
  F(asinhf(x), asinh(x), 3)                                 \
  F(acoshf(q + 1), acosh(q + 1), 4)                         \
  F(atanhf(x / 4), atanh(x / 4), 3)                         \
  F(expf(x), exp(x), 2)                                     \
  F(exp2f(x), exp2(x), 2)                                   \
  F(exp10f(x), pow(ten, x), 2)                              \
  F(expm1f(x), expm1(x), 1)                                 \
  F(logf(p), log(p), 1)                                     \
  F(log2f(p), log2(p), 1)                                   \
  F(log10f(p), log10(p), 2)                                 \
  F(log1pf(p), log1p(p), 1)                                 \
  F(powf(p, x), pow(p, x), 4)                               \
  F(powf(q, 0.5f), sqrt(q), 4)                              \
  F(cbrtf(q), cbrt(q), 1)                                   \
  F(rcbrtf(p), 1 / cbrt(p), 1)                              \
  F(sqrtf(p), sqrt(p), 0)                                   \
  F(rsqrtf(p), 1 / sqrt(p), 2)                              \
  F(hypotf(x, p), hypot(x, p), 3)                           \
  F(rhypotf(x, p), 1 / hypot(x, p), 2)                      \
  F(norm3df(x, p, 2), sqrt(x* x + p * p + 4), 3)            \
  F(erff(x), erf(x), 2)                                     \
  F(erfcf(x), erfc(x), 4)                                   \
  F(erfcxf(p), exp(p* p) * erfc(p), 4)                      \
  F(normcdff(x), erfc(-x / sqrt(two)) / 2, 5)               \
  F(tgammaf(p), tgamma(p), 8)                               \
  F(lgammaf(q + 3), lgamma(q + 3), 6)                       \
  F(cyl_bessel_i0f(x), std::cyl_bessel_i(0.0L, fabs(x)), 6) \
  F(1 / p, 1 / p, 0)                                        \
  F(x / p, x / p, 0)                                        \
  F(fmaf(x, p, 0.5f), x* p + 0.5f, 0)                       \
  F(fmodf(q, p), fmod(q, p), 0)                             \
  F(remainderf(q, p), remainder(q, p), 0)                   \
  F(ldexpf(x, 7), x * 128, 0)                               \
  F(floorf(x) + ceilf(p), floor(x) + ceil(p), 0)            \
  F(fabsf(x), fabs(x), 0)                                   \
  F(copysignf(p, x), copysign(p, x), 0)

#define CUDAHOT_DOUBLE_FUNCTIONS(F)     \
  F(sin(x), sin(x), 2)                  \
  F(sin(q), sin(q), 2)                  \
  F(cos(x), cos(x), 2)                  \
  F(tan(x), tan(x), 2)                  \
  F(sinpi(x), sin(kPi* x), 2)           \
  F(cospi(x), cos(kPi* x), 2)           \
  F(asin(x / 4), asin(x / 4), 2)        \
  F(acos(x / 4), acos(x / 4), 2)        \
  F(atan(x), atan(x), 2)                \
  F(atan2(x, p), atan2(x, p), 2)        \
  F(sinh(x), sinh(x), 2)                \
  F(cosh(x), cosh(x), 2)                \
  F(tanh(x), tanh(x), 2)                \
  F(asinh(x), asinh(x), 3)              \
  F(acosh(q + 1), acosh(q + 1), 3)      \
  F(atanh(x / 4), atanh(x / 4), 2)      \
  F(exp(x), exp(x), 1)                  \
  F(exp2(x), exp2(x), 1)                \
  F(exp10(x), pow(ten, x), 2)           \
  F(expm1(x), expm1(x), 1)              \
  F(log(p), log(p), 1)                  \
  F(log2(p), log2(p), 2)                \
  F(log10(p), log10(p), 2)              \
  F(log1p(p), log1p(p), 1)              \
  F(pow(p, x), pow(p, x), 2)            \
  F(cbrt(q), cbrt(q), 4)                \
  F(sqrt(p), sqrt(p), 0)                \
  F(rsqrt(p), 1 / sqrt(p), 2)           \
  F(hypot(x, p), hypot(x, p), 2)        \
  F(erf(x), erf(x), 2)                  \
  F(erfc(x), erfc(x), 5)                \
  F(tgamma(p), tgamma(p), 10)           \
  F(lgamma(q + 3), lgamma(q + 3), 4)    \
  F(1 / p, 1 / p, 0)                    \
  F(fma(x, p, 0.5), fma(x, p, 0.5L), 0) \
  F(fmod(q, p), fmod(q, p), 0)
