// The sample's kernel compiled for the host, thread by thread, against the reference: whether the
// two agree is known before any GPU is at hand.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

#include "reference.hpp"

namespace {

struct float4 {
  float x, y, z, w;
};
float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }

struct Index {
  unsigned x, y;
};
Index blockIdx, threadIdx;
constexpr Index blockDim{10, 10};

// A surface is a picture; surf2Dwrite takes its column in bytes.
struct HostSurface {
  unsigned width;
  std::vector<float> rgba;
};
using cudaSurfaceObject_t = HostSurface*;
void surf2Dwrite(float4 pixel, cudaSurfaceObject_t surface, int column_bytes, unsigned row) {
  const std::size_t column = static_cast<std::size_t>(column_bytes) / sizeof(float4);
  std::memcpy(surface->rgba.data() + (row * std::size_t{surface->width} + column) * 4, &pixel, sizeof pixel);
}

float cosine(float angle) { return std::cos(angle); }

#define __global__
#define __device__
#define __cosf cosine
#include "update_surface.cu"

TEST(UpdateSurfaceKernel, DrawsTheReferencePictureWhenRunOnTheHost) {
  constexpr unsigned kWidth = 157, kHeight = 93;
  for (const float time : {0.0f, 0.05f, 1.7f, 30.0f}) {
    HostSurface surface{kWidth, std::vector<float>(std::size_t{4} * kWidth * kHeight, -1.0f)};
    for (blockIdx.y = 0; blockIdx.y < 10; ++blockIdx.y) {
      for (blockIdx.x = 0; blockIdx.x < 16; ++blockIdx.x) {
        for (threadIdx.y = 0; threadIdx.y < 10; ++threadIdx.y) {
          for (threadIdx.x = 0; threadIdx.x < 10; ++threadIdx.x) UpdateSurface(&surface, kWidth, kHeight, time);
        }
      }
    }
    EXPECT_EQ(sample::difference(surface.rgba, kWidth, kHeight, time, false).value_or(""), "") << "time " << time;
  }
}

}  // namespace
