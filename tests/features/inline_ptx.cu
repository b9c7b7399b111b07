// Inline PTX: operands, scopes, predicates
__device__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}

__global__ void choose(const int* in, int* out) {
#pragma cudahot begin(body)
  int result;
  asm volatile(
      "{\n\t"
      ".reg .pred p;\n\t"
      "setp.gt.s32 p, %1, %2;\n\t"
      "selp.s32 %0, %1, %2, p;\n\t"
      "}"
      : "=r"(result)
      : "r"(in[threadIdx.x]), "n"(7)
      : "memory");
  out[lane()] = result;
#pragma cudahot end
}
