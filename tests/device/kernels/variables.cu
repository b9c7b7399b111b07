// Variables of the program, in a bundle that has had them from the start.
__device__ int frames = 7;
__constant__ float tint[3] = {1, 2, 3};
__managed__ double total = 0.25;

namespace scene {
namespace {
__device__ unsigned seen[4];
__constant__ int offsets[2][2] = {{1, 2}, {3, 4}};
}  // namespace
}  // namespace scene

struct Light {
  float position[3];
  int kind;
};
__device__ Light lights[2] = {{{1, 2, 3}, 4}, {{5, 6, 7}, 8}};
__device__ const Light* brightest = &lights[1];

extern "C" __global__ void count(int by) {
  const int i = threadIdx.x;
#pragma cudahot begin(count)
  atomicAdd(&frames, by);
  atomicAdd(&scene::seen[i % 4], 1u);
  if (i == 0) {
    total += 0.5;
    lights[0].kind += by;
    brightest = &lights[0];
  }
#pragma cudahot end
}

extern "C" __global__ void look(double* out) {
#pragma cudahot begin(look)
  out[0] = frames;
  for (int i = 0; i < 3; ++i) out[1 + i] = tint[i];
  out[4] = total;
  for (int i = 0; i < 4; ++i) out[5 + i] = scene::seen[i];
  for (int i = 0; i < 4; ++i) out[9 + i] = scene::offsets[i / 2][i % 2];
  out[13] = brightest->kind;
  const float* last = tint + 2;
  out[14] = *last;
#pragma cudahot end
}

// Where the variables are, for the host.
extern "C" __global__ void where(int** device, double** managed) {
#pragma cudahot begin(where)
  *device = &frames;
  *managed = &total;
#pragma cudahot end
}
