// Variables: __device__, __constant__, static and in namespaces
__constant__ float weights[4] = {1, 2, 3, 4};
__device__ int counter;
namespace scene {
static __device__ float brightness = 0.5f;
inline constexpr int kLimit = 16;
}  // namespace scene
namespace {
__constant__ int offsets[2] = {3, 5};
}

__global__ void use(float* data) {
#pragma cudahot begin(body)
  if (atomicAdd(&counter, 1) < scene::kLimit) data[threadIdx.x] = weights[offsets[0] % 4] * scene::brightness;
#pragma cudahot end
}
