// Hints: __builtin_assume, expect, unreachable, restrict
__global__ void divide(const int* __restrict__ in, int* __restrict__ out, int n) {
#pragma cudahot begin(body)
  __builtin_assume(n > 0);
  if (__builtin_expect(n == 13, 0)) out[0] = 1;
  const int* const aligned = static_cast<const int*>(__builtin_assume_aligned(in, 16));
  switch (n % 2) {
    case 0: out[threadIdx.x] = aligned[threadIdx.x] / n; break;
    case 1: out[threadIdx.x] = 0; break;
    default: __builtin_unreachable();
  }
#pragma cudahot end
}
