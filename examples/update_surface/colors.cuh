// Colours of the sample. The .cu file includes it, so an edit here goes live as well.
#pragma once

// `level` in three channels of their own strength, opaque.
static __device__ inline float4 tint(float level, float red, float green, float blue) {
  return make_float4(level * red, level * green, level * blue, 1.0f);
}

static __device__ inline float4 opaque(float red, float green, float blue) {
  return make_float4(red, green, blue, 1.0f);
}
