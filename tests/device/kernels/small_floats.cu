// Half and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void widen(float* halves, float* brains) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma cudahot begin(widen)
  halves[i] = __half2float(__ushort_as_half(static_cast<unsigned short>(i)));
  brains[i] = __bfloat162float(__ushort_as_bfloat16(static_cast<unsigned short>(i)));
#pragma cudahot end
}

// in: pairs, the first to be a half, the second a bfloat16.
extern "C" __global__ void narrow(const double* in, unsigned short* halves, unsigned short* brains) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma cudahot begin(narrow)
  halves[i] = __half_as_ushort(__double2half(in[2 * i]));
  brains[i] = __bfloat16_as_ushort(__double2bfloat16(in[2 * i + 1]));
#pragma cudahot end
}

constexpr int kOperations = 11;

// in: three numbers a thread. The products are kept from being fused with what follows by the
// functions that are named after their rounding.
template <typename Small, typename Pair>
__global__ void operate(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const Small a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
  float* mine = out + kOperations * i;
#pragma cudahot begin(operate)
  mine[0] = a + b;
  mine[1] = a - b;
  mine[2] = __hmul_rn(a, b);
  mine[3] = a / b;
  mine[4] = __hfma(a, b, c);
  mine[5] = -a;
  mine[6] = (a < b) + 2 * (a == b) + 4 * __hge(a, c);
  mine[7] = __hmin(a, b);
  mine[8] = __hmax(a, b);
  Pair both(a, b);
  both = __hadd2(both, Pair(b, c));
  mine[9] = __low2float(both);
  mine[10] = __high2float(both);
#pragma cudahot end
}
template __global__ void operate<__half, __half2>(const float*, float*);
template __global__ void operate<__nv_bfloat16, __nv_bfloat162>(const float*, float*);

// pair: {1, 3}; brain: 6.
extern "C" __global__ void convert(float* out, half2* pair, __nv_bfloat16* brain) {
  const half one = 1.0f, tiny = __float2half(0.0005f);
#pragma cudahot begin(convert)
  out[0] = __half2float(one + tiny);
  out[1] = __hgt(one, tiny);
  out[2] = __high2float(__hfma2(*pair, *pair, *pair));
  out[3] = __low2float(__lowhigh2highlow(*pair));
  *brain += __nv_bfloat16(3);
  out[4] = __bfloat162float(hsqrt(*brain));
  out[5] = __half2float(__float2half_rz(0.3f));
  out[6] = __half2float(__float2half_ru(70000.0f));
  out[7] = __half2float(__float2half_rz(70000.0f));
  half x = __shfl_sync(1u, one, 0);
  x /= half(3);
  out[8] = x;
  out[9] = __half2int_rn(half(2.5f));
  out[10] = __hisnan(half(nanf("")));
  out[11] = __half22float2(*pair).y;
#pragma cudahot end
}
