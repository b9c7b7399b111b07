// Half and bfloat16: all results are exact, because each operation is documented to round once, to
// nearest even.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "kernels_under_test.hpp"

namespace cudahot::kernels {
namespace {

using ::testing::ElementsAre;

struct SmallFloats : KernelTest {
  static void SetUpTestSuite() { open("small_floats.cu"); }
};

constexpr std::size_t kAll = 65536;
constexpr LaunchConfig kEach{.grid = 1024, .block = 64};

// Every value survives the way to float, and what is halfway between two goes to the even one.
TEST_F(SmallFloats, ConvertExactlyAndRoundToNearestEven) {
  const DeviceArray<float> halves_out(driver(), kAll), brains_out(driver(), kAll);
  ASSERT_EQ(run("widen", kEach, halves_out.get(), brains_out.get()), CUDA_SUCCESS);
  const auto halves = halves_out.read(), brains = brains_out.read();
  EXPECT_EQ(halves[0x3c00], 1.0F);
  EXPECT_EQ(halves[0x0001], std::ldexp(1.0F, -24));
  EXPECT_EQ(halves[0x7bff], 65504.0F);
  EXPECT_EQ(halves[0xfc00], -INFINITY);
  for (std::uint32_t i = 0; i < kAll; ++i) {
    if (!std::isnan(brains[i])) {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(brains[i]), i << 16);
    }
  }
  // Exactly between i and the next magnitude.
  std::vector<double> middles(2 * kAll);
  for (std::size_t i = 0; i + 1 < kAll; ++i) {
    middles[2 * i] = (double{halves[i]} + double{halves[i + 1]}) / 2;
    middles[2 * i + 1] = (double{brains[i]} + double{brains[i + 1]}) / 2;
  }
  const DeviceArray<double> in(driver(), middles);
  const DeviceArray<std::uint16_t> half_bits(driver(), kAll), brain_bits(driver(), kAll);
  ASSERT_EQ(run("narrow", kEach, in.in(), half_bits.get(), brain_bits.get()), CUDA_SUCCESS);
  const auto rounded_halves = half_bits.read(), rounded_brains = brain_bits.read();
  for (std::uint32_t i = 0; i + 1 < kAll; ++i) {
    const std::uint32_t even = i + (i & 1);
    if ((i & 0x7fffU) < 0x7bffU) {
      ASSERT_EQ(rounded_halves[i], even) << i;
    }
    if ((i & 0x7fffU) < 0x7f7fU) {
      ASSERT_EQ(rounded_brains[i], even) << i;
    }
  }
}

struct Type {
  std::string kernel;
  int bits;  // of the significand, with the hidden one

  friend std::ostream& operator<<(std::ostream& out, const Type& type) { return out << type.kernel; }
};

class Operations : public SmallFloats, public ::testing::WithParamInterface<Type> {
 protected:
  // To nearest even; for magnitudes that the type holds as normal numbers.
  float rounded(double exact) const {
    int exponent = 0;
    std::frexp(exact, &exponent);
    const int scale = GetParam().bits - exponent;
    return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(exact, scale)), -scale));
  }
};

TEST_P(Operations, RoundOnce) {
  constexpr std::size_t kTriples = 4096, kOperations = 11;
  std::mt19937 random(3);
  std::vector<float> numbers(3 * kTriples);
  // Within [2^-4, 2^4), so that exact results have few bits and double holds them.
  for (float& number : numbers) {
    const float fraction = 1 + static_cast<float>(random() % 4096) / 4096;
    number = rounded(std::ldexp(random() % 2 == 0 ? fraction : -fraction, static_cast<int>(random() % 8) - 4));
  }
  const DeviceArray<float> in(driver(), numbers), out(driver(), kTriples * kOperations);
  ASSERT_EQ(run(GetParam().kernel, {.grid = kTriples / 64, .block = 64}, in.in(), out.get()), CUDA_SUCCESS);
  const auto results = out.read();
  for (std::size_t i = 0; i < kTriples; ++i) {
    const double a = numbers[3 * i], b = numbers[3 * i + 1], c = numbers[3 * i + 2];
    const float* got = &results[kOperations * i];
    SCOPED_TRACE(::testing::Message() << a << ' ' << b << ' ' << c);
    ASSERT_EQ(got[0], rounded(a + b));
    ASSERT_EQ(got[1], rounded(a - b));
    ASSERT_EQ(got[2], rounded(a * b));
    ASSERT_EQ(got[3], rounded(a / b));
    ASSERT_EQ(got[4], rounded(a * b + c));
    ASSERT_EQ(got[5], -a);
    ASSERT_EQ(got[6], (a < b) + 2 * (a == b) + 4 * (a >= c));
    ASSERT_EQ(got[7], std::min(a, b));
    ASSERT_EQ(got[8], std::max(a, b));
    ASSERT_EQ(got[9], rounded(a + b));
    ASSERT_EQ(got[10], rounded(b + c));
  }
}

INSTANTIATE_TEST_SUITE_P(SmallFloats, Operations,
                         ::testing::Values(Type{"operate<__half, __half2>", 11},
                                           Type{"operate<__nv_bfloat16, __nv_bfloat162>", 8}),
                         [](const auto& type) { return type.param.bits == 11 ? "half" : "bfloat16"; });

TEST_F(SmallFloats, HaveTheirConversionsAndPairs) {
  const DeviceArray<float> out(driver(), 12);
  const DeviceArray<std::uint32_t> pair(driver(), std::vector{0x42003c00U});
  const DeviceArray<std::uint16_t> brain(driver(), std::vector<std::uint16_t>{0x40c0});
  ASSERT_EQ(run("convert", {}, out.get(), pair.get(), brain.get()), CUDA_SUCCESS);
  EXPECT_THAT(out.read(),
              ElementsAre(1.0009765625F, 1, 12, 3, 3, 0.2998046875F, INFINITY, 65504, 0.333251953125F, 2, 1, 3));
}

}  // namespace
}  // namespace cudahot::kernels
