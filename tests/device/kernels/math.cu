// The functions of math_functions.hpp, and the fast intrinsics.
#include "math_functions.hpp"

// `count` numbers a function, one function after another.
extern "C" __global__ void float_functions(const float* xs, const float* ps, const float* qs, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = xs[i], p = ps[i], q = qs[i];
  int row = 0;
#define STORE(expression, exact, most) out[count * row++ + i] = expression;
#pragma cudahot begin(float_functions)
  CUDAHOT_FLOAT_FUNCTIONS(STORE)
#pragma cudahot end
}

extern "C" __global__ void double_functions(const float* xs, const float* ps, const float* qs, double* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double x = xs[i], p = ps[i], q = qs[i];
  int row = 0;
#pragma cudahot begin(double_functions)
  CUDAHOT_DOUBLE_FUNCTIONS(STORE)
#pragma cudahot end
}

extern "C" __global__ void fast_intrinsics(const float* xs, const float* ps, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = xs[i], p = ps[i];
  float* column = out + i;
  float sine, cosine;
#pragma cudahot begin(fast_intrinsics)
  column[0 * count] = __sinf(x);
  column[1 * count] = __cosf(x);
  __sincosf(x, &sine, &cosine);
  column[2 * count] = sine;
  column[3 * count] = cosine;
  column[4 * count] = __tanf(x / 4);
  column[5 * count] = __expf(x);
  column[6 * count] = __exp10f(x);
  column[7 * count] = __logf(p);
  column[8 * count] = __log2f(p);
  column[9 * count] = __log10f(p);
  column[10 * count] = __powf(p, 1.75f);
  column[11 * count] = __fdividef(x, p);
  column[12 * count] = __frcp_rn(p);
  column[13 * count] = __fsqrt_rn(p);
  column[14 * count] = __frsqrt_rn(p);
  column[15 * count] = __tanhf(x);
#pragma cudahot end
}

extern "C" __global__ void special_values(double* out) {
  const double zero = out[0];
  int n = 0;
#pragma cudahot begin(special_values)
  out[n++] = 1 / zero;
  out[n++] = isnan(sqrt(zero - 1)) + 2 * isinf(log(zero)) + 4 * signbit(-zero) + 8 * isfinite(zero);
  out[n++] = pow(zero, 0.0);
  out[n++] = hypot(1 / zero, nan(""));
  out[n++] = erfinv(1.0);
  out[n++] = erfcinv(2.0);
  out[n++] = sinpi(1e6 + 0.5);
  out[n++] = cospi(2.5);
  out[n++] = tgamma(5.0);
  out[n++] = fmax(nan(""), 3.0);
  out[n++] = rint(2.5) + rint(3.5);
  out[n++] = expf(89.0f);
  out[n++] = exp(-800.0);
  out[n++] = ilogb(10.0) + scalbn(1.0, 4);
#pragma cudahot end
}
