// Textures and surfaces of every shape.
#include <cuda_runtime.h>

cudaTextureObject_t host_texture;

__global__ void sampled(float4* out, cudaTextureObject_t texture, cudaSurfaceObject_t surface, float u, float v) {
  float4 sum = tex2D<float4>(texture, u, v);
  sum.x += tex1Dfetch<float>(texture, 3) + tex3D<float>(texture, u, v, 0.5f);
  sum.y += tex1D<float>(texture, u) + tex2DLayered<float>(texture, u, v, 1) + texCubemap<float>(texture, u, v, 1);
  sum.z += tex2DLod<float>(texture, u, v, 1.5f) + tex2Dgather<float4>(texture, u, v, 1).w;
  const float4 old = surf2Dread<float4>(surface, threadIdx.x * 16, 0, cudaBoundaryModeClamp);
  surf2Dwrite(make_float4(old.x + sum.x, old.y, old.z, 1), surface, threadIdx.x * 16, 1, cudaBoundaryModeZero);
  surf3Dwrite(old.w, surface, threadIdx.x * 4, 0, 2);
  out[threadIdx.x] = sum;
}
