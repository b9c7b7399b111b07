// Whole kernels as people write them, each against the same computed here another way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tests/unit/cpu_device/code/code_under_test.hpp"

namespace cudahot::test {
namespace {

// Small integers as float: every order of summation gives the same.
std::vector<float> numbers(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 7 % 31) - 15.0F;
  return values;
}

TEST(Kernels, ReductionOverSharedMemoryAndShuffles) {
  const auto module = build(make_slice(R"(
__global__ void reduce(const float* in, float* out, int n) {
  __shared__ float partial[8];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % warpSize == 0) partial[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x < 8) {
    sum = partial[threadIdx.x];
    for (int offset = 4; offset > 0; offset /= 2) sum += __shfl_down_sync(0xff, sum, offset);
    if (threadIdx.x == 0) atomicAdd(out, sum);
  }
}
)",
                                       {"reduce"}));
  ASSERT_TRUE(module);
  const auto in = numbers(1000);
  float out = 0;
  ASSERT_EQ(module->launch("reduce", {{3, 1, 1}, {256, 1, 1}}, in.data(), &out, 1000).fault, "");
  EXPECT_EQ(out, std::accumulate(in.begin(), in.end(), 0.0F));
}

TEST(Kernels, ScanWithShuffles) {
  const auto module = build(make_slice(R"(
template <typename T>
__device__ T scan_warp(T value) {
  const int lane = threadIdx.x & 31;
  for (int delta = 1; delta < 32; delta *= 2) {
    const T before = __shfl_up_sync(~0u, value, delta);
    if (lane >= delta) value += before;
  }
  return value;
}
template <typename T>
__global__ void scan(const T* in, T* out) {
  __shared__ T totals[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  T value = scan_warp(in[threadIdx.x]);
  if (lane == 31) totals[warp] = value;
  __syncthreads();
  if (warp == 0) {
    T total = lane < blockDim.x / 32 ? totals[lane] : T(0);
    totals[lane] = scan_warp(total);
  }
  __syncthreads();
  out[threadIdx.x] = value + (warp > 0 ? totals[warp - 1] : T(0));
}
)",
                                       {"scan<double>", "scan<int>"}));
  ASSERT_TRUE(module);
  std::vector<double> in(512);
  std::vector<int> in_int(512);
  for (std::size_t i = 0; i < in.size(); ++i) in_int[i] = static_cast<int>(in[i] = static_cast<double>(i * 5 % 17) - 8);
  std::vector<double> out(512);
  std::vector<double> want(512);
  std::partial_sum(in.begin(), in.end(), want.begin());
  ASSERT_EQ(module->launch("scan<double>", {{1, 1, 1}, {512, 1, 1}}, in.data(), out.data()).fault, "");
  EXPECT_EQ(out, want);
  std::vector<int> out_int(512);
  ASSERT_EQ(module->launch("scan<int>", {{1, 1, 1}, {512, 1, 1}}, in_int.data(), out_int.data()).fault, "");
  EXPECT_EQ(out_int, std::vector<int>(want.begin(), want.end()));
}

TEST(Kernels, TiledMatrixProduct) {
  const auto module = build(make_slice(R"(
constexpr int kTile = 16;
__global__ __launch_bounds__(kTile * kTile) void multiply(const float* a, const float* b, float* c, int n) {
  __shared__ float left[kTile][kTile + 1], right[kTile][kTile + 1];
  const int column = blockIdx.x * kTile + threadIdx.x, row = blockIdx.y * kTile + threadIdx.y;
  float sum = 0;
  for (int tile = 0; tile < (n + kTile - 1) / kTile; ++tile) {
    const int k = tile * kTile;
    left[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0;
    right[threadIdx.y][threadIdx.x] = column < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}
)",
                                       {"multiply"}));
  ASSERT_TRUE(module);
  EXPECT_EQ(module->attribute("multiply", CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK), 256);
  constexpr int kSize = 37;
  const auto a = numbers(kSize * kSize);
  auto b = a;
  std::reverse(b.begin(), b.end());
  std::vector<float> c(kSize * kSize);
  ASSERT_EQ(module->launch("multiply", {{3, 3, 1}, {16, 16, 1}}, a.data(), b.data(), c.data(), kSize).fault, "");
  for (int row = 0; row < kSize; ++row) {
    for (int column = 0; column < kSize; ++column) {
      float want = 0;
      for (int i = 0; i < kSize; ++i) want += a[size_t(row * kSize + i)] * b[size_t(i * kSize + column)];
      ASSERT_EQ(c[size_t(row * kSize + column)], want) << row << ' ' << column;
    }
  }
}

TEST(Kernels, HistogramWithSharedAtomics) {
  const auto module = build(make_slice(R"(
__global__ void histogram(const unsigned char* in, unsigned* bins, int n) {
  extern __shared__ unsigned local[];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[in[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) if (local[i]) atomicAdd(bins + i, local[i]);
}
)",
                                       {"histogram"}));
  ASSERT_TRUE(module);
  std::vector<unsigned char> in(5000);
  std::vector<unsigned> want(256);
  for (std::size_t i = 0; i < in.size(); ++i) ++want[in[i] = static_cast<unsigned char>(i * i % 251)];
  std::vector<unsigned> bins(256);
  ASSERT_EQ(module->launch("histogram", {{4, 1, 1}, {96, 1, 1}, 1024}, in.data(), bins.data(), 5000).fault, "");
  EXPECT_EQ(bins, want);
}

TEST(Kernels, StencilOverATexture) {
  const auto module = build(make_slice(R"(
__global__ void blur(cudaTextureObject_t in, cudaSurfaceObject_t out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 4 * tex2D<float>(in, x + 0.5f, y + 0.5f);
  sum += tex2D<float>(in, x - 0.5f, y + 0.5f) + tex2D<float>(in, x + 1.5f, y + 0.5f);
  float above;
  tex2D(&above, in, x + 0.5f, y - 0.5f);
  sum += above + tex2D<float>(in, x + 0.5f, y + 1.5f);
  surf2Dwrite(sum / 8, out, x * 4, y);
}
)",
                                       {"blur"}));
  ASSERT_TRUE(module);
  constexpr int kWidth = 21;
  constexpr int kHeight = 13;
  const auto values = numbers(kWidth * kHeight);
  const Image in(CU_AD_FORMAT_FLOAT, 1, kWidth, kHeight, values.data());
  const Image out(CU_AD_FORMAT_FLOAT, 1, kWidth, kHeight, values.data());
  ASSERT_EQ(module->launch("blur", {{3, 2, 1}, {8, 8, 1}}, in.texture(), out.surface(), kWidth, kHeight).fault, "");
  std::vector<float> got(values.size());
  out.read(got.data());
  const auto at = [&](int x, int y) {
    return values[size_t(std::clamp(y, 0, kHeight - 1) * kWidth + std::clamp(x, 0, kWidth - 1))];
  };
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      ASSERT_EQ(got[size_t(y * kWidth + x)],
                (4 * at(x, y) + at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) / 8)
          << x << ' ' << y;
    }
  }
}

TEST(Kernels, PhiloxStreamOfTheHelperLibrary) {
  const auto module = build(make_slice(R"(
#include "cudahot/device.cuh"
__global__ void stream(uint4* words, float* floats, unsigned key) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  words[i] = cudahot::device::philox(make_uint4(i, 0, 0, 0), make_uint2(key, key + 1));
  floats[i] = cudahot::device::uniform(words[i].x);
}
)",
                                       {"stream"}));
  ASSERT_TRUE(module);
  struct Words {
    std::uint32_t x, y, z, w;
    bool operator==(const Words&) const = default;
  };
  // Salmon et al. 2011, figure 2, with 128-bit state as two products.
  const auto philox = [](Words c, std::uint32_t k0, std::uint32_t k1) {
    for (int round = 0; round < 10; ++round, k0 += 0x9e3779b9U, k1 += 0xbb67ae85U) {
      const std::uint64_t p0 = std::uint64_t{0xd2511f53U} * c.x;
      const std::uint64_t p1 = std::uint64_t{0xcd9e8d57U} * c.z;
      c = {std::uint32_t(p1 >> 32) ^ c.y ^ k0, std::uint32_t(p1), std::uint32_t(p0 >> 32) ^ c.w ^ k1,
           std::uint32_t(p0)};
    }
    return c;
  };
  // Known answer of Random123 for counter and key 0.
  EXPECT_EQ(philox({}, 0, 0), (Words{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U}));
  std::vector<Words> words(96);
  std::vector<float> floats(96);
  ASSERT_EQ(module->launch("stream", {{2, 1, 1}, {48, 1, 1}}, words.data(), floats.data(), 99U).fault, "");
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    ASSERT_EQ(words[i], philox({i, 0, 0, 0}, 99, 100)) << i;
    ASSERT_EQ(floats[i], static_cast<float>(words[i].x >> 8) / 16777216.0F) << i;
  }
}

}  // namespace
}  // namespace cudahot::test
