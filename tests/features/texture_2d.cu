// Textures: 2D, levels of detail, gradients, gather
__global__ void sample(cudaTextureObject_t texture, float4* out, float level) {
#pragma cudahot begin(body)
  const float x = threadIdx.x + 0.5f;
  float4 sum = tex2D<float4>(texture, x, 0.5f);
  sum.x += tex2DLod<float4>(texture, x, 0.5f, level).x;
  sum.y += tex2DGrad<float4>(texture, x, 0.5f, make_float2(1, 0), make_float2(0, 1)).y;
  sum.z += tex2Dgather<float4>(texture, x, 0.5f, 1).z;
  out[threadIdx.x] = sum;
#pragma cudahot end
}
