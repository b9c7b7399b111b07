// Whole kernels as people write them, each against the same computed here another way. Their
// floating-point inputs are small integers, so that every order of summation, with and without
// fused multiply-add, gives the same: results are equal, unless a test states a tolerance.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "images.hpp"
#include "kernels_under_test.hpp"

namespace cudahot::kernels {
namespace {

struct Algorithms : KernelTest {
  static void SetUpTestSuite() { open("algorithms.cu"); }
};

template <typename T = float>
std::vector<T> numbers(std::size_t count) {
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<T>(static_cast<int>(i * 7 % 31) - 15);
  return values;
}

TEST_F(Algorithms, ReductionOverSharedMemoryAndShuffles) {
  const auto in = numbers(1000);
  const DeviceArray<float> values(driver(), in), out(driver(), 1);
  ASSERT_EQ(run("reduce", {.grid = 3, .block = 256}, values.in(), out.get(), 1000), CUDA_SUCCESS);
  EXPECT_EQ(out.read()[0], std::accumulate(in.begin(), in.end(), 0.0F));
}

TEST_F(Algorithms, ScanWithShuffles) {
  const auto in = numbers<int>(512);
  std::vector<int> sums(in.size());
  std::partial_sum(in.begin(), in.end(), sums.begin());
  const DeviceArray<int> in_int(driver(), in), out_int(driver(), in.size());
  ASSERT_EQ(run("scan<int>", {.grid = 1, .block = 512}, in_int.in(), out_int.get()), CUDA_SUCCESS);
  EXPECT_EQ(out_int.read(), sums);
  const DeviceArray<double> in_double(driver(), numbers<double>(512)), out_double(driver(), in.size());
  ASSERT_EQ(run("scan<double>", {.grid = 1, .block = 512}, in_double.in(), out_double.get()), CUDA_SUCCESS);
  EXPECT_EQ(out_double.read(), std::vector<double>(sums.begin(), sums.end()));
}

TEST_F(Algorithms, TiledMatrixProduct) {
  constexpr int kSize = 37;
  const auto at = [](int row, int column) { return static_cast<std::size_t>(row * kSize + column); };
  const auto a = numbers(kSize * kSize);
  auto b = a;
  std::reverse(b.begin(), b.end());
  const DeviceArray<float> left(driver(), a), right(driver(), b), out(driver(), a.size());
  ASSERT_EQ(run("multiply", {.grid = {3, 3}, .block = {16, 16}}, left.in(), right.in(), out.get(), kSize),
            CUDA_SUCCESS);
  const auto product = out.read();
  for (int row = 0; row < kSize; ++row) {
    for (int column = 0; column < kSize; ++column) {
      float want = 0;
      for (int i = 0; i < kSize; ++i) want += a[at(row, i)] * b[at(i, column)];
      ASSERT_EQ(product[at(row, column)], want) << row << ' ' << column;
    }
  }
}

TEST_F(Algorithms, HistogramWithAtomicsInDynamicSharedMemory) {
  std::vector<unsigned char> in(5000);
  std::vector<unsigned> want(256);
  for (std::size_t i = 0; i < in.size(); ++i) ++want[in[i] = static_cast<unsigned char>(i * i % 251)];
  const DeviceArray<unsigned char> values(driver(), in);
  const DeviceArray<unsigned> bins(driver(), 256);
  ASSERT_EQ(run("histogram", {.grid = 4, .block = 96, .dynamic_shared_bytes = 1024}, values.in(), bins.get(), 5000),
            CUDA_SUCCESS);
  EXPECT_EQ(bins.read(), want);
}

TEST_F(Algorithms, StencilOverATexture) {
  constexpr int kWidth = 21, kHeight = 13;
  const auto values = numbers(kWidth * kHeight);
  Image in(driver(), CU_AD_FORMAT_FLOAT, 1, kWidth, kHeight, values.data());
  Image out(driver(), CU_AD_FORMAT_FLOAT, 1, kWidth, kHeight, values.data());
  ASSERT_EQ(run("blur", {.grid = {3, 2}, .block = {8, 8}}, in.texture(), out.surface(), kWidth, kHeight), CUDA_SUCCESS);
  std::vector<float> got(values.size());
  out.read(got.data());
  const auto at = [&](int x, int y) {
    return values[static_cast<std::size_t>(std::clamp(y, 0, kHeight - 1) * kWidth + std::clamp(x, 0, kWidth - 1))];
  };
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      ASSERT_EQ(got[static_cast<std::size_t>(y * kWidth + x)],
                (4 * at(x, y) + at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) / 8)
          << x << ' ' << y;
    }
  }
}

struct Words {
  std::uint32_t x, y, z, w;
  bool operator==(const Words&) const = default;
};

// Salmon et al. 2011, figure 2, with 128-bit state as two products.
Words philox(Words c, std::uint32_t k0, std::uint32_t k1) {
  for (int round = 0; round < 10; ++round, k0 += 0x9e3779b9U, k1 += 0xbb67ae85U) {
    const std::uint64_t p0 = std::uint64_t{0xd2511f53U} * c.x;
    const std::uint64_t p1 = std::uint64_t{0xcd9e8d57U} * c.z;
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c.y ^ k0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c.w ^ k1, static_cast<std::uint32_t>(p0)};
  }
  return c;
}

TEST_F(Algorithms, PhiloxStreamOfTheHelperLibrary) {
  // Known answer of Random123 for counter and key 0.
  EXPECT_EQ(philox({}, 0, 0), (Words{0x6627e8d5U, 0xe169c58dU, 0xbc57ac4cU, 0x9b00dbd8U}));
  const DeviceArray<Words> words(driver(), 96);
  const DeviceArray<float> floats(driver(), 96);
  ASSERT_EQ(run("philox_stream", {.grid = 2, .block = 48}, words.get(), floats.get(), 99U), CUDA_SUCCESS);
  const auto got = words.read();
  const auto uniform = floats.read();
  for (std::uint32_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i], philox({i, 0, 0, 0}, 99, 100)) << i;
    ASSERT_EQ(uniform[i], static_cast<float>(got[i].x >> 8) / 16777216.0F) << i;
  }
}

// The map stretches a difference by at most its factor, 3.7, a step, and a step adds at most three
// roundings of values below 1: (1 + 3.7 + ... + 3.7^7) 3 2^-24 in eight steps.
TEST_F(Algorithms, RoundedArithmeticStaysWithinItsErrorBound) {
  constexpr int kSteps = 8;
  const double tolerance = (std::pow(3.7, kSteps) - 1) / 2.7 * 3 * std::ldexp(1.0, -24);
  std::vector<float> in(256);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i + 1) / 257.0F;
  const DeviceArray<float> values(driver(), in), out(driver(), in.size());
  ASSERT_EQ(run("logistic", {.grid = 2, .block = 128}, values.in(), out.get(), kSteps), CUDA_SUCCESS);
  const auto got = out.read();
  for (std::size_t i = 0; i < in.size(); ++i) {
    double x = in[i];
    for (int step = 0; step < kSteps; ++step) x = double{3.7F} * x * (1 - x);
    EXPECT_NEAR(got[i], x, tolerance) << in[i];
  }
}

}  // namespace
}  // namespace cudahot::kernels
