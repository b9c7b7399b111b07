// Surfaces: layers and cube maps
__global__ void write(cudaSurfaceObject_t planes, cudaSurfaceObject_t cube) {
#pragma cudahot begin(body)
  surf2DLayeredwrite(1.0f, planes, threadIdx.x * 4, 0, 1);
  surfCubemapwrite(surf2DLayeredread<float>(planes, 0, 0, 0), cube, threadIdx.x * 4, 0, 3);
#pragma cudahot end
}
