// sm_120a: block-scaled matrix multiply
// architectures: 120a
__global__ void multiply(const unsigned* a, const unsigned* b, unsigned scale, float* out) {
#pragma cudahot begin(body)
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  asm volatile(
      "mma.sync.aligned.kind::mxf8f6f4.block_scale.scale_vec::1X.m16n8k32.row.col.f32.e4m3.e4m3.f32.ue8m0 "
      "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}, {%10}, {0, 0}, {%11}, {0, 0};"
      : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(scale), "r"(scale));
  out[threadIdx.x] = d0 + d1 + d2 + d3;
#pragma cudahot end
}
