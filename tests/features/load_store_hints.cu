// Loads and stores with cache hints
__global__ void copy(const float4* in, float4* out, int* words) {
#pragma cudahot begin(body)
  __stcs(out + threadIdx.x, __ldg(in + threadIdx.x));
  __stcg(out + 1, __ldcg(in + 1));
  __stwt(out + 2, __ldcs(in + 2));
  __stwb(words, __ldca(words + 1) + __ldlu(words + 2) + __ldcv(words + 3));
#pragma cudahot end
}
