// Surfaces: 2D, both forms of reading
__global__ void write(cudaSurfaceObject_t surface) {
#pragma cudahot begin(body)
  float4 texel;
  surf2Dread(&texel, surface, threadIdx.x * 16, threadIdx.y);
  texel.x += surf2Dread<float4>(surface, 0, 0, cudaBoundaryModeZero).x;
  surf2Dwrite(texel, surface, threadIdx.x * 16, threadIdx.y);
#pragma cudahot end
}
