#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "host_device.hpp"
#include "inputs.hpp"

namespace cudahot::kernels {
namespace {

struct PhiloxVector {
  uint4 counter;
  uint2 key;
  std::array<unsigned, 4> expected;
};

// Known answers of Random123 1.14 for "philox4x32 10".
constexpr PhiloxVector kPhiloxVectors[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(Random, PhiloxGivesTheKnownAnswers) {
  for (const auto& [counter, key, expected] : kPhiloxVectors) {
    const uint4 words = device::philox(counter, key);
    EXPECT_EQ((std::array{words.x, words.y, words.z, words.w}), expected);
  }
}

TEST(Random, UniformCoversItsHalfOpenRange) {
  EXPECT_EQ(device::uniform(0u), 0.0f);
  EXPECT_EQ(device::uniform(0xffu), 0.0f);
  EXPECT_EQ(device::uniform(0x80000000u), 0.5f);
  EXPECT_EQ(device::uniform(0xffffffffu), 1.0f - std::ldexp(1.0f, -24));
  EXPECT_EQ(device::uniform_above_zero(0u), std::ldexp(1.0f, -24));
  EXPECT_EQ(device::uniform_above_zero(0xffffffffu), 1.0f);
  EXPECT_EQ(device::uniform_signed(0u), -1.0f);
  EXPECT_EQ(device::uniform_signed(0x80000000u), 0.0f);
  EXPECT_EQ(device::uniform_signed(0xffffffffu), 1.0f - std::ldexp(1.0f, -23));
}

TEST(Random, UniformBelowStaysBelowItsBound) {
  EXPECT_EQ(device::uniform_below(0xffffffffu, 0u), 0u);
  EXPECT_EQ(device::uniform_below(0xffffffffu, 1u), 0u);
  EXPECT_EQ(device::uniform_below(0u, 6u), 0u);
  EXPECT_EQ(device::uniform_below(0xffffffffu, 6u), 5u);
  EXPECT_EQ(device::uniform_below(0x80000000u, 6u), 3u);
  EXPECT_EQ(device::uniform_below(0xffffffffu, 0xffffffffu), 0xfffffffeu);
}

TEST(Random, PhiloxUniformIsPhiloxThenUniform) {
  const float4 numbers = device::philox_uniform({0, 0, 0, 0}, {0, 0});
  EXPECT_FLOAT_EQ(numbers.x, static_cast<float>(0x6627e8d5 / 4294967296.0));
  EXPECT_FLOAT_EQ(numbers.y, static_cast<float>(0xe169c58d / 4294967296.0));
  EXPECT_FLOAT_EQ(numbers.z, static_cast<float>(0xbc57ac4c / 4294967296.0));
  EXPECT_FLOAT_EQ(numbers.w, static_cast<float>(0x9b00dbd8 / 4294967296.0));
}

TEST(Random, CountersGiveEvenlySpreadNumbers) {
  std::array<int, 64> bins{};
  constexpr unsigned kCounters = 16384;
  for (unsigned i = 0; i < kCounters; ++i) {
    const float4 numbers = device::philox_uniform({i, 0, 0, 0}, {7, 0});
    for (const float number : {numbers.x, numbers.y, numbers.z, numbers.w}) {
      ++bins[static_cast<std::size_t>(number * 64.0f)];
    }
  }
  constexpr double kExpected = 4.0 * kCounters / 64;
  double chi_squared = 0;
  for (const int count : bins) chi_squared += (count - kExpected) * (count - kExpected) / kExpected;
  // 63 degrees of freedom: above 114 with probability 1e-4, below 28 likewise.
  EXPECT_LT(chi_squared, 114);
  EXPECT_GT(chi_squared, 28);
}

TEST(Random, NormalFollowsBoxAndMuller) {
  Inputs inputs(1);
  for (int i = 0; i < 1000; ++i) {
    const uint2 bits{inputs.word(), inputs.word()};
    const double u = ((bits.x >> 8) + 1) / 16777216.0, v = (bits.y >> 8) / 16777216.0;
    const double radius = std::sqrt(-2 * std::log(u)), angle = 2 * M_PI * v;
    const float2 pair = device::normal(bits);
    ASSERT_NEAR(pair.x, radius * std::cos(angle), 3e-6);
    ASSERT_NEAR(pair.y, radius * std::sin(angle), 3e-6);
  }
  const float2 largest = device::normal({0u, 0u});
  EXPECT_LT(largest.x, 5.8f);
  EXPECT_GT(largest.x, 5.7f);
}

TEST(Random, NormalHasTheMomentsOfTheDistribution) {
  double sum = 0, squares = 0, fourth = 0, product = 0;
  constexpr unsigned kPairs = 100000;
  for (unsigned i = 0; i < kPairs; ++i) {
    const uint4 words = device::philox({i, 1, 0, 0}, {3, 0});
    const float2 pair = device::normal({words.x, words.y});
    sum += pair.x + pair.y;
    squares += pair.x * pair.x + pair.y * pair.y;
    fourth += std::pow(pair.x, 4) + std::pow(pair.y, 4);
    product += pair.x * pair.y;
  }
  // Five standard errors each.
  EXPECT_NEAR(sum / (2 * kPairs), 0, 0.011);
  EXPECT_NEAR(squares / (2 * kPairs), 1, 0.016);
  EXPECT_NEAR(fourth / (2 * kPairs), 3, 0.11);
  EXPECT_NEAR(product / kPairs, 0, 0.016);
}

}  // namespace
}  // namespace cudahot::kernels
