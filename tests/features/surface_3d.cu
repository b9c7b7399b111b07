// Surfaces: 3D
__global__ void write(cudaSurfaceObject_t surface) {
#pragma cudahot begin(body)
  surf3Dwrite(surf3Dread<int>(surface, 0, 0, 1) + 1, surface, threadIdx.x * 4, threadIdx.y, threadIdx.z);
#pragma cudahot end
}
