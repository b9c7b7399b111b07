// The hot kernel of the sample: one thread a pixel of an RGBA float4 surface.
#include "colors.cuh"

__global__ void UpdateSurface(cudaSurfaceObject_t surf, unsigned width, unsigned height, float time) {
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;

  float4 pixel;
#pragma cudahot begin(shade)
  // Edit from here to the end of the region while the program runs.
  const unsigned margin = 1;
  const float across = float(x) / float(width);
  const float down = float(y) / float(height);

  const float wave_across = __cosf(time) * 0.5f + across;
  const float stripes_across = __cosf(float(y) * time) * 0.5f + down;
  const float stripes_down = __cosf(float(x) / 100.0f * time) * 0.5f + across;

  if (y < margin) {
    pixel = tint(stripes_down, 0.3f, 1.0f, 0.4f);
  } else if (y >= height - margin) {
    pixel = tint(stripes_down, 0.6f, 0.7f, 1.0f);
  } else if (x % 2 == 0) {
    pixel = x > width / 2 ? opaque(0.1f, 0.5f, wave_across) : opaque(wave_across, 0.1f, 0.2f);
  } else if (x < margin || x >= width - margin) {
    pixel = tint(stripes_across, 1.0f, 0.9f, 0.6f);
  } else {
    pixel = tint(wave_across, 0.3f, 0.4f, 0.6f);
  }
#pragma cudahot end

  surf2Dwrite(pixel, surf, static_cast<int>(x * sizeof(float4)), y);
}
