#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <set>
#include <vector>

#include "host_device.hpp"
#include "inputs.hpp"

namespace cudahot::kernels {
namespace {

constexpr std::uint64_t kTwo32 = std::uint64_t{1} << 32;

// Arithmetic modulo 2^32 in 64 bits.
std::uint64_t multiply_add(std::uint64_t a, std::uint64_t b, std::uint64_t c) { return (a * b + c) % kTwo32; }

std::uint64_t expected_pcg(std::uint64_t value) {
  const std::uint64_t state = multiply_add(value, 747796405, 2891336453);
  const std::uint64_t shifted = state / (std::uint64_t{1} << (state / (1u << 28) + 4));
  const std::uint64_t word = multiply_add(shifted ^ state, 277803737, 0);
  return word / (1u << 22) ^ word;
}

// The published loops over an array, one word at a time.
template <std::size_t N>
std::array<std::uint64_t, N> expected_pcg_nd(std::array<std::uint64_t, N> v,
                                             const std::vector<std::array<std::size_t, 3>>& steps) {
  for (auto& word : v) word = multiply_add(word, 1664525, 1013904223);
  const auto add_products = [&] {
    for (const auto& [target, left, right] : steps) v[target] = multiply_add(v[left], v[right], v[target]);
  };
  add_products();
  for (auto& word : v) word ^= word / 65536;
  add_products();
  return v;
}

TEST(Hash, PcgFollowsItsDefinition) {
  Inputs inputs(1);
  for (const unsigned value : {0u, 1u, 2u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    EXPECT_EQ(device::pcg_hash(value), expected_pcg(value)) << value;
  }
  for (int i = 0; i < 1000; ++i) {
    const unsigned value = inputs.word();
    ASSERT_EQ(device::pcg_hash(value), expected_pcg(value)) << value;
  }
}

TEST(Hash, PcgOfTwoWordsFollowsItsDefinition) {
  Inputs inputs(2);
  for (int i = 0; i < 1000; ++i) {
    const uint2 v{inputs.word(), inputs.word()};
    std::uint64_t x = multiply_add(v.x, 1664525, 1013904223), y = multiply_add(v.y, 1664525, 1013904223);
    for (int round = 0; round < 2; ++round) {
      x = multiply_add(y, 1664525, x);
      y = multiply_add(x, 1664525, y);
      x ^= x / 65536;
      y ^= y / 65536;
    }
    const uint2 hashed = device::pcg_hash(v);
    ASSERT_EQ(hashed.x, x);
    ASSERT_EQ(hashed.y, y);
  }
}

TEST(Hash, PcgOfThreeAndFourWordsFollowsItsDefinition) {
  Inputs inputs(3);
  for (int i = 0; i < 1000; ++i) {
    const uint4 v{inputs.word(), inputs.word(), inputs.word(), inputs.word()};
    const auto three = expected_pcg_nd<3>({v.x, v.y, v.z}, {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}});
    const uint3 hashed3 = device::pcg_hash(uint3{v.x, v.y, v.z});
    ASSERT_EQ(hashed3.x, three[0]);
    ASSERT_EQ(hashed3.y, three[1]);
    ASSERT_EQ(hashed3.z, three[2]);
    const auto four = expected_pcg_nd<4>({v.x, v.y, v.z, v.w}, {{0, 1, 3}, {1, 2, 0}, {2, 0, 1}, {3, 1, 2}});
    const uint4 hashed4 = device::pcg_hash(v);
    ASSERT_EQ(hashed4.x, four[0]);
    ASSERT_EQ(hashed4.y, four[1]);
    ASSERT_EQ(hashed4.z, four[2]);
    ASSERT_EQ(hashed4.w, four[3]);
  }
}

TEST(Hash, MurmurGivesThePublishedValues) {
  EXPECT_EQ(device::murmur_hash(0u), 0u);
  EXPECT_EQ(device::murmur_hash(1u), 0x514e28b7u);
  EXPECT_EQ(device::murmur_hash(0ull), 0ull);
  EXPECT_EQ(device::murmur_hash(1ull), 0xb456bcfc34c2cb2cull);
}

// The inverse of x ^= x >> shift: the known upper bits give those below.
unsigned undo_shift(unsigned hashed, unsigned shift) {
  unsigned value = hashed;
  for (unsigned known = shift; known < 32; known += shift) value = hashed ^ value >> shift;
  return value;
}

// The inverse of an odd factor modulo 2^32, by Newton's iteration.
unsigned undo_factor(unsigned hashed, unsigned factor) {
  unsigned inverse = factor;
  for (int i = 0; i < 5; ++i) inverse *= 2u - factor * inverse;
  return hashed * inverse;
}

TEST(Hash, LowBiasIsUndoneByItsInverse) {
  Inputs inputs(4);
  EXPECT_EQ(device::low_bias_hash(0u), 0u);
  for (int i = 0; i < 1000; ++i) {
    const unsigned value = inputs.word();
    unsigned h = undo_shift(device::low_bias_hash(value), 16);
    h = undo_shift(undo_factor(h, 0x846ca68bu), 15);
    h = undo_shift(undo_factor(h, 0x7feb352du), 16);
    ASSERT_EQ(h, value);
  }
}

TEST(Hash, AFlippedInputBitFlipsHalfOfTheOutputBits) {
  Inputs inputs(5);
  double flips_pcg = 0, flips_murmur = 0, flips_low_bias = 0, flips_murmur64 = 0;
  constexpr int kRounds = 2000;
  for (int i = 0; i < kRounds; ++i) {
    const unsigned value = inputs.word(), other = value ^ 1u << (i % 32);
    flips_pcg += std::popcount(device::pcg_hash(value) ^ device::pcg_hash(other));
    flips_murmur += std::popcount(device::murmur_hash(value) ^ device::murmur_hash(other));
    flips_low_bias += std::popcount(device::low_bias_hash(value) ^ device::low_bias_hash(other));
    const unsigned long long wide = static_cast<unsigned long long>(value) << 32 | inputs.word();
    flips_murmur64 += std::popcount(device::murmur_hash(wide) ^ device::murmur_hash(wide ^ 1ull << (i % 64)));
  }
  EXPECT_NEAR(flips_pcg / kRounds, 16, 0.5);
  EXPECT_NEAR(flips_murmur / kRounds, 16, 0.5);
  EXPECT_NEAR(flips_low_bias / kRounds, 16, 0.5);
  EXPECT_NEAR(flips_murmur64 / kRounds, 32, 0.7);
}

TEST(Hash, DifferentInputsGiveDifferentOutputs) {
  std::set<unsigned> pcg, murmur, low_bias;
  constexpr unsigned kCount = 20000;
  for (unsigned value = 0; value < kCount; ++value) {
    pcg.insert(device::pcg_hash(value));
    murmur.insert(device::murmur_hash(value));
    low_bias.insert(device::low_bias_hash(value));
  }
  EXPECT_EQ(pcg.size(), kCount);
  EXPECT_EQ(murmur.size(), kCount);
  EXPECT_EQ(low_bias.size(), kCount);
}

}  // namespace
}  // namespace cudahot::kernels
