// Integers, conversions and vector types: all exact. Expectations are the definitions of the CUDA
// Math API, computed here another way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "kernels_under_test.hpp"

namespace cudahot::kernels {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

struct Arithmetic : KernelTest {
  static void SetUpTestSuite() { open("arithmetic.cu"); }
};

__extension__ using Signed128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;

constexpr std::size_t kIntegers = 32;

template <typename T>
T reversed(T word) {
  T result = 0;
  for (int bit = 0; bit < std::numeric_limits<T>::digits; ++bit, word >>= 1) result = (result << 1) | (word & 1);
  return result;
}

// The products of parts of a and b, each `bits_a` and `bits_b` wide, from part `first` of b on.
template <typename Word>
long long dot(Word a, Word b, int bits_a, int bits_b, int first, Word start) {
  const auto part = [](Word word, int bits, int index) {
    const auto up = static_cast<Word>(static_cast<std::uint32_t>(word) << (32 - bits * (index + 1)));
    return static_cast<std::int64_t>(up >> (32 - bits));  // keeps the sign of a signed word
  };
  std::int64_t sum = start;
  for (int i = 0; i < 32 / bits_a; ++i) sum += part(a, bits_a, i) * part(b, bits_b, first + i);
  return static_cast<Word>(sum);  // 32-bit sums wrap
}

std::vector<long long> expected_integers(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b), z = static_cast<std::int32_t>(c);
  const std::uint64_t wide = std::uint64_t{a} << 32 | b;
  const auto p = static_cast<std::int64_t>(wide), q = -static_cast<std::int64_t>(std::uint64_t{c} << 20);
  const std::uint64_t low_24 = 0xffffff;
  const auto of_24 = [](std::int32_t word) { return std::int64_t{static_cast<std::int32_t>(word << 8) >> 8}; };
  const auto as_int = [](std::int64_t v) -> long long { return static_cast<std::int32_t>(v); };
  const auto as_word = [](std::uint64_t v) -> long long { return static_cast<std::uint32_t>(v); };
  const std::uint64_t pair = std::uint64_t{b} << 32 | a;  // of a funnel shift: b above a
  const unsigned turn = c % 64, wrapped = turn % 32, clamped = std::min(turn, 32U);
  std::uint32_t picked = 0;
  for (unsigned i = 0; i < 4; ++i)
    picked |= static_cast<std::uint32_t>(pair >> (8 * (c >> (4 * i) & 7)) & 0xff) << 8 * i;
  return {std::countl_zero(a),
          std::countl_zero(wide),
          a == 0 ? 0 : std::countr_zero(a) + 1,
          wide == 0 ? 0 : std::countr_zero(wide) + 1,
          std::popcount(a),
          std::popcount(wide),
          reversed(a),
          static_cast<long long>(reversed(wide)),
          as_int(std::int64_t{x} * y >> 32),
          as_word(std::uint64_t{a} * b >> 32),
          static_cast<long long>(Signed128{p} * q >> 64),
          static_cast<long long>(Unsigned128{wide} * static_cast<std::uint64_t>(q) >> 64),
          as_int(of_24(x) * of_24(y)),
          as_word((a & low_24) * (b & low_24)),
          as_word(static_cast<std::uint64_t>(std::abs(std::int64_t{x} - y)) + c),
          as_word((a > b ? a - b : b - a) + std::uint64_t{c}),
          (std::int64_t{x} + y) >> 1,
          static_cast<long long>((std::uint64_t{a} + b) >> 1),
          (std::int64_t{x} + y + 1) >> 1,
          static_cast<long long>((std::uint64_t{a} + b + 1) >> 1),
          as_word(pair << wrapped >> 32),
          as_word(pair >> wrapped),
          as_word(pair << clamped >> 32),
          as_word(pair >> clamped),
          picked,
          dot(x, y, 8, 8, 0, z),
          dot(a, b, 8, 8, 0, c),
          dot(x, y, 16, 8, 0, z),
          dot(x, y, 16, 8, 2, z),
          dot(a, b, 16, 8, 0, c),
          dot(a, b, 16, 8, 2, c),
          std::max(std::min(x, y), z)};
}

TEST_F(Arithmetic, IntegerIntrinsicsAreTheirDefinitions) {
  std::mt19937 random(7);
  std::vector<unsigned> words(3 * 256);
  for (unsigned& word : words) word = static_cast<unsigned>(random()) >> random() % 20;
  std::fill_n(words.begin(), 3, 0U);
  std::fill_n(words.begin() + 3, 3, ~0U);
  std::fill_n(words.begin() + 6, 3, 0x80000000U);
  const DeviceArray<unsigned> in(driver(), words);
  const DeviceArray<long long> out(driver(), 256 * kIntegers);
  ASSERT_EQ(run("integers", {.grid = 4, .block = 64}, in.in(), out.get()), CUDA_SUCCESS);
  const auto got = out.read();
  for (std::size_t i = 0; i < 256; ++i) {
    const std::vector<long long> mine(&got[kIntegers * i], &got[kIntegers * i] + kIntegers);
    ASSERT_EQ(mine, expected_integers(words[3 * i], words[3 * i + 1], words[3 * i + 2]))
        << words[3 * i] << ' ' << words[3 * i + 1] << ' ' << words[3 * i + 2];
  }
}

TEST_F(Arithmetic, OverloadsOfMixedTypesConvertAsDocumented) {
  const DeviceArray<double> out(driver(), 8);
  ASSERT_EQ(run("overloads", {}, out.get()), CUDA_SUCCESS);
  EXPECT_THAT(out.read(), ElementsAre(1, 3, 1.5, 4, 32, 1, 2, 4));
}

TEST_F(Arithmetic, ConversionsSaturateAndRoundAsAsked) {
  const DeviceArray<float> in(driver(), {2.5F, 1e20F, -3.0F, NAN, 1e-10F, 1.0000001F, -0.5F, 1e30F});
  const DeviceArray<double> out(driver(), 29);
  ASSERT_EQ(run("conversions", {}, in.in(), out.get()), CUDA_SUCCESS);
  const auto above = [](double x) {  // the first float that is not below
    const auto f = static_cast<float>(x);
    return double{double{f} < x ? std::nextafter(f, INFINITY) : f};
  };
  const auto below = [&](double x) { return -above(-x); };
  const double square = double{1.0000001F} * double{1.0000001F};
  EXPECT_THAT(out.read(), ElementsAreArray({2.0,
                                            3.0,
                                            2.0,
                                            2.0,
                                            2147483647.0,
                                            0.0,
                                            4294967295.0,
                                            0.0,
                                            1.0,
                                            -2147483648.0,
                                            4294967295.0,
                                            above(1 + 1e-10),
                                            1.0,
                                            1.0,
                                            below(square),
                                            below(square + 1e-10),
                                            above(0.1),
                                            below(0.1),
                                            16777216.0,
                                            16777218.0,
                                            below(std::sqrt(2.0)),
                                            above(std::sqrt(2.0)),
                                            above(1 / 3.0),
                                            below(1 / 3.0),
                                            std::ldexp(1.0, -52),
                                            1.0,
                                            double{std::bit_cast<std::int32_t>(-3.0F) + 3.0F},
                                            3.0 + 0x40080000,
                                            2.0 + 0 + 3 + 0}));
}

TEST_F(Arithmetic, VectorTypesHaveTheDocumentedSizesAndAlignments) {
  using Vector = std::array<float, 4>;
  using Bytes = std::array<unsigned char, 4>;
  std::vector<Vector> values(20);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto x = static_cast<float>(i);
    values[i] = {x, 0.5F, x * 2, x * 3};
  }
  const DeviceArray<Vector> in(driver(), values), out(driver(), 20);
  const DeviceArray<int> sizes(driver(), 34);
  const DeviceArray<Bytes> bytes(driver(), 20);
  ASSERT_EQ(run("vectors", {.grid = 1, .block = 20}, in.in(), sizes.get(), out.get(), bytes.get()), CUDA_SUCCESS);
  EXPECT_THAT(sizes.read(), ElementsAreArray({2,  2,  3,  1, 4, 4, 4, 4,  6, 2,  8,  8,  8,  8,  12, 4,  16,
                                              16, 16, 16, 4, 4, 8, 8, 12, 4, 16, 16, 16, 16, 24, 8,  12, 4}));
  const auto got = out.read();
  const auto got_bytes = bytes.read();
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(got[i], (Vector{values[i][3], values[i][0] + 0.5F, values[i][2], 1}));
    const auto byte = [](std::size_t number) { return static_cast<unsigned char>(number); };
    EXPECT_EQ(got_bytes[i], (Bytes{byte(i), byte(2 * i), byte(300 + i), byte(256 - i)}));
  }
}

}  // namespace
}  // namespace cudahot::kernels
