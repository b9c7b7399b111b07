// Integer intrinsics: bits, dot products, funnel shifts
__global__ void mix(unsigned* data, int* out) {
#pragma cudahot begin(body)
  const unsigned x = data[threadIdx.x];
  unsigned y = __brev(x) ^ __byte_perm(x, 0, 0x0123) ^ __funnelshift_l(x, x, 7) ^ __umulhi(x, 2654435761u);
  y += __popc(x) + __clz(static_cast<int>(x)) + __ffs(static_cast<int>(x)) + __fns(x, 0, 2);
  out[threadIdx.x] = __dp4a(static_cast<int>(x), static_cast<int>(y), 3) + __dp2a_lo(1, 2, 3) + __sad(1, 2, 3u) + __mul24(5, 6);
#pragma cudahot end
}
