// Surfaces: 1D
__global__ void write(cudaSurfaceObject_t surface) {
#pragma cudahot begin(body)
  const float old = surf1Dread<float>(surface, threadIdx.x * 4);
  surf1Dwrite(old + 1.0f, surface, threadIdx.x * 4, cudaBoundaryModeClamp);
#pragma cudahot end
}
