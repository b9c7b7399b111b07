// Textures: layers
__global__ void sample(cudaTextureObject_t lines, cudaTextureObject_t planes, float* out, int layer) {
#pragma cudahot begin(body)
  out[threadIdx.x] = tex1DLayered<float>(lines, 0.5f, layer) + tex2DLayered<float>(planes, 0.5f, 0.5f, layer);
#pragma cudahot end
}
