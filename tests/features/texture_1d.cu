// Textures: 1D and linear memory
__global__ void sample(cudaTextureObject_t texture, float* out) {
#pragma cudahot begin(body)
  out[threadIdx.x] = tex1D<float>(texture, threadIdx.x + 0.5f) + tex1Dfetch<float>(texture, static_cast<int>(threadIdx.x));
#pragma cudahot end
}
