// Textures: cube maps, with layers too
__global__ void sample(cudaTextureObject_t cube, cudaTextureObject_t cubes, float4* out) {
#pragma cudahot begin(body)
  out[0] = texCubemap<float4>(cube, 1.0f, 0.0f, 0.0f);
  out[1] = texCubemapLayered<float4>(cubes, 0.0f, 1.0f, 0.0f, 2);
#pragma cudahot end
}
