// Textures: 3D
__global__ void sample(cudaTextureObject_t volume, float* out) {
#pragma cudahot begin(body)
  out[threadIdx.x] = tex3D<float>(volume, threadIdx.x + 0.5f, 0.5f, 0.5f) + tex3DLod<float>(volume, 0.5f, 0.5f, 0.5f, 1.0f);
#pragma cudahot end
}
