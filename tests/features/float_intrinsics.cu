// Single and double precision intrinsics, fast hyperbolic tangent
__global__ void evaluate(float* f, double* d) {
#pragma cudahot begin(body)
  float x = f[threadIdx.x];
  x = __fmaf_rn(__sinf(x), __cosf(x), __expf(x)) + __tanhf(x) + __frsqrt_rn(x) + __fdividef(1.0f, x);
  x += __saturatef(x) + __fadd_ru(x, 1.0f) + rsqrtf(x) + erfinvf(x) + normcdff(x) + rhypotf(x, 1.0f) + exp10f(x);
  float s, c;
  sincospif(x, &s, &c);
  f[threadIdx.x] = s + c + __int_as_float(__float_as_int(x) & 0x7fffffff);
  d[threadIdx.x] = __dadd_rd(cyl_bessel_i0(d[0]), fma(d[1], d[2], __ddiv_rn(d[3], d[4]))) + tgamma(d[5]) + norm3d(d[0], d[1], d[2]);
#pragma cudahot end
}
