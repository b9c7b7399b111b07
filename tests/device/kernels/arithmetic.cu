// Integers, conversions and vector types.

constexpr int kIntegers = 32;

// a, b, c: three random words a thread. Results as 64-bit numbers, signed ones sign-extended.
extern "C" __global__ void integers(const unsigned* in, long long* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  const int x = static_cast<int>(a), y = static_cast<int>(b), z = static_cast<int>(c);
  const unsigned long long wide = static_cast<unsigned long long>(a) << 32 | b;
  const long long p = static_cast<long long>(wide), q = -static_cast<long long>(static_cast<unsigned long long>(c) << 20);
  long long* mine = out + kIntegers * i;
  int n = 0;
#pragma cudahot begin(integers)
  mine[n++] = __clz(x);
  mine[n++] = __clzll(p);
  mine[n++] = __ffs(x);
  mine[n++] = __ffsll(p);
  mine[n++] = __popc(a);
  mine[n++] = __popcll(wide);
  mine[n++] = __brev(a);
  mine[n++] = static_cast<long long>(__brevll(wide));
  mine[n++] = __mulhi(x, y);
  mine[n++] = __umulhi(a, b);
  mine[n++] = __mul64hi(p, q);
  mine[n++] = static_cast<long long>(__umul64hi(wide, static_cast<unsigned long long>(q)));
  mine[n++] = __mul24(x, y);
  mine[n++] = __umul24(a, b);
  mine[n++] = __sad(x, y, c);
  mine[n++] = __usad(a, b, c);
  mine[n++] = __hadd(x, y);
  mine[n++] = __uhadd(a, b);
  mine[n++] = __rhadd(x, y);
  mine[n++] = __urhadd(a, b);
  mine[n++] = __funnelshift_l(a, b, c % 64);
  mine[n++] = __funnelshift_r(a, b, c % 64);
  mine[n++] = __funnelshift_lc(a, b, c % 64);
  mine[n++] = __funnelshift_rc(a, b, c % 64);
  mine[n++] = __byte_perm(a, b, c);
  mine[n++] = __dp4a(x, y, z);
  mine[n++] = __dp4a(a, b, c);
  mine[n++] = __dp2a_lo(x, y, z);
  mine[n++] = __dp2a_hi(x, y, z);
  mine[n++] = __dp2a_lo(a, b, c);
  mine[n++] = __dp2a_hi(a, b, c);
  mine[n++] = max(min(x, y), z);
#pragma cudahot end
}

extern "C" __global__ void overloads(double* out) {
#pragma cudahot begin(overloads)
  out[0] = min(-1, 1u);
  out[1] = max(2, 3);
  out[2] = min(2.5f, 1.5);
  out[3] = abs(-4ll);
  out[4] = __clz(0) + __ffs(0);
  out[5] = max(-1ll, 1ull) == ~0ull;
  out[6] = fmin(nan(""), 2.0);
  out[7] = llmin(-5ll, 3ll) + ullmax(2ull, 9ull);
#pragma cudahot end
}

// in: 2.5, 1e20, -3, not a number, 1e-10, 1 + 2^-23, -0.5, 1e30
extern "C" __global__ void conversions(const float* in, double* out) {
  const double wide = in[7];
  int n = 0;
#pragma cudahot begin(conversions)
  out[n++] = __float2int_rn(in[0]);
  out[n++] = __float2int_ru(in[0]);
  out[n++] = __float2int_rd(in[0]);
  out[n++] = __float2int_rz(in[0]);
  out[n++] = (int)in[1];
  out[n++] = (unsigned)in[2];
  out[n++] = __float2uint_rn(in[1]);
  out[n++] = (int)in[3];
  out[n++] = __float2ll_rz(in[7]) == 0x7fffffffffffffffll;
  out[n++] = __double2int_rn(-wide);
  out[n++] = __double2uint_rz(wide);
  out[n++] = __fadd_ru(1.0f, in[4]);
  out[n++] = __fadd_rd(1.0f, in[4]);
  out[n++] = __fadd_rn(1.0f, in[4]);
  out[n++] = __fmul_rz(in[5], in[5]);
  out[n++] = __fmaf_rz(in[5], in[5], in[4]);
  out[n++] = __double2float_ru(0.1);
  out[n++] = __double2float_rd(0.1);
  out[n++] = __int2float_rd(16777217);
  out[n++] = __int2float_ru(16777217);
  out[n++] = __fsqrt_rd(2.0f);
  out[n++] = __fsqrt_ru(2.0f);
  out[n++] = __frcp_ru(3.0f);
  out[n++] = __fdiv_rd(1.0f, 3.0f);
  out[n++] = __dadd_ru(1.0, in[4] * 1e-10) - 1.0;
  out[n++] = __saturatef(in[6]) + __saturatef(in[0]) + __saturatef(in[3]);
  out[n++] = __float_as_int(in[2]) + __int_as_float(0x40400000);
  out[n++] = __hiloint2double(0x40080000, 0) + __double2hiint(3.0) + __double2loint(3.0);
  out[n++] = rintf(in[0]) + rintf(in[6]) + roundf(in[0]) + truncf(in[6]);
#pragma cudahot end
}

// Sizes and alignments of vector types, then sums of components.
extern "C" __global__ void vectors(const float4* in, int* sizes, float4* out, uchar4* bytes) {
  const int i = threadIdx.x;
#pragma cudahot begin(vectors)
  const float4 v = in[i];
  out[i] = make_float4(v.w, v.x + v.y, v.z, 1);
  bytes[i] = make_uchar4(i, 2 * i, 300 + i, -i);
  if (i == 0) {
    int n = 0;
#define SIZES(type)          \
  sizes[n++] = sizeof(type); \
  sizes[n++] = alignof(type);
    SIZES(char2)
    SIZES(char3)
    SIZES(uchar4)
    SIZES(short2)
    SIZES(ushort3)
    SIZES(short4)
    SIZES(int2)
    SIZES(uint3)
    SIZES(int4)
    SIZES(longlong2)
    SIZES(float1)
    SIZES(float2)
    SIZES(float3)
    SIZES(float4)
    SIZES(double2)
    SIZES(double3)
    SIZES(dim3)
#undef SIZES
  }
#pragma cudahot end
}
