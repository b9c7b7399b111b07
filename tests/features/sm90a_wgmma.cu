// sm_90a: warp group matrix multiply, register reallocation
// architectures: 90a
__global__ void multiply(unsigned long long a, unsigned long long b, float* out) {
#pragma cudahot begin(body)
  float d[4] = {0, 0, 0, 0};
  asm volatile("setmaxnreg.inc.sync.aligned.u32 168;");
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "l"(a), "l"(b));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  out[threadIdx.x] = d[0] + d[3];
#pragma cudahot end
}
