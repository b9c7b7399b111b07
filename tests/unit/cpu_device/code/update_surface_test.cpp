// The kernel that cudahot began with, on the CPU device, against pixels computed here.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/unit/cpu_device/code/code_under_test.hpp"

namespace cudahot::test {
namespace {

constexpr const char* kUpdateSurface = R"(#line 1 "shade.cu"
__global__ void UpdateSurface(cudaSurfaceObject_t surf, unsigned width, unsigned height, float time) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float4 pixel;
#pragma cudahot begin(shade)
  const unsigned margin = 1;
  const float u = float(x) / float(width), v = float(y) / float(height);
  const float wave = __cosf(time) * 0.5f + u;
  const float rows = __cosf(float(y) * time) * 0.5f + v;
  const float columns = __cosf(float(x) / 100.0f * time) * 0.5f + u;
  if (y < margin) pixel = make_float4(columns * 0.3f, columns, columns * 0.4f, 1);
  else if (y >= height - margin) pixel = make_float4(columns * 0.6f, columns * 0.7f, columns, 1);
  else if (x % 2 == 0) pixel = x > width / 2 ? make_float4(0.1f, 0.5f, wave, 1) : make_float4(wave, 0.1f, 0.2f, 1);
  else if (x < margin || x >= width - margin) pixel = make_float4(rows, rows * 0.9f, rows * 0.6f, 1);
  else pixel = make_float4(wave * 0.3f, wave * 0.4f, wave * 0.6f, 1);
#pragma cudahot end
  surf2Dwrite(pixel, surf, int(x * sizeof(float4)), int(y));
}
)";

struct Pixel {
  float r, g, b, a;
};

// In double, from the description of the picture.
Pixel expected(unsigned x, unsigned y, unsigned width, unsigned height, double time) {
  const double u = double(x) / width;
  const double v = double(y) / height;
  const double across = std::cos(time) * 0.5 + u;
  const double rows = std::cos(y * time) * 0.5 + v;
  const double columns = std::cos(x / 100.0 * time) * 0.5 + u;
  const auto pixel = [](double r, double g, double b) { return Pixel{float(r), float(g), float(b), 1.0F}; };
  if (y == 0) return pixel(columns * 0.3, columns, columns * 0.4);
  if (y == height - 1) return pixel(columns * 0.6, columns * 0.7, columns);
  if (x % 2 == 0) return x > width / 2 ? pixel(0.1, 0.5, across) : pixel(across, 0.1, 0.2);
  if (x == width - 1) return pixel(rows, rows * 0.9, rows * 0.6);
  return pixel(across * 0.3, across * 0.4, across * 0.6);
}

TEST(UpdateSurface, DrawsThePictureOfItsDescription) {
  auto slice = make_slice(kUpdateSurface, {"UpdateSurface"});
  slice.kernels[0].mangled_name = "_Z13UpdateSurfaceyjjf";
  slice.kernels[0].parameters = {{"surf", "cudaSurfaceObject_t", 8, 0},
                                 {"width", "unsigned", 4, 8},
                                 {"height", "unsigned", 4, 12},
                                 {"time", "float", 4, 16}};
  const auto module = build(slice);
  ASSERT_TRUE(module);

  // 37 x 23 in blocks of 10 x 10: the last ones hang over, the last warp of each has 4 threads.
  constexpr unsigned kWidth = 37;
  constexpr unsigned kHeight = 23;
  std::vector<Pixel> pixels(kWidth * kHeight);
  const Image image(CU_AD_FORMAT_FLOAT, 4, kWidth, kHeight, pixels.data());
  const float time = 1.25F;
  const auto outcome =
      module->launch("_Z13UpdateSurfaceyjjf", {{4, 3, 1}, {10, 10, 1}}, image.surface(), kWidth, kHeight, time);
  ASSERT_EQ(outcome.fault, "");
  image.read(pixels.data());

  for (unsigned y = 0; y < kHeight; ++y) {
    for (unsigned x = 0; x < kWidth; ++x) {
      const Pixel got = pixels[y * kWidth + x];
      const Pixel want = expected(x, y, kWidth, kHeight, 1.25);
      ASSERT_NEAR(got.r, want.r, 2e-6) << x << ' ' << y;
      ASSERT_NEAR(got.g, want.g, 2e-6) << x << ' ' << y;
      ASSERT_NEAR(got.b, want.b, 2e-6) << x << ' ' << y;
      ASSERT_EQ(got.a, 1.0F);
    }
  }
}

}  // namespace
}  // namespace cudahot::test
