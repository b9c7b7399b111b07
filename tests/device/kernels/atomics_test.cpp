// Atomic operations. All results are exact: floating-point sums are of multiples of 1/8 that every
// partial sum holds exactly, so their order does not matter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "kernels_under_test.hpp"
#include "words.hpp"

namespace cudahot::kernels {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;

struct Atomics : KernelTest {
  static void SetUpTestSuite() { open("atomics.cu"); }
};

TEST_F(Atomics, GiveTheOldValueAndLeaveTheNew) {
  const DeviceArray<Words> words(driver(), {{1, 0, 0, 1, 2, 0, 0.25F, 1}});
  const DeviceArray<double> old(driver(), 18);
  ASSERT_EQ(run("one_by_one", {}, words.get(), old.get()), CUDA_SUCCESS);
  const double wide = std::uint64_t{1} << 40;
  EXPECT_THAT(old.read(), ElementsAre(1, 6, 4, -7, 3, 9, 12, 12, 0, 3, 0, wide, wide + 5, 2, -5, 0.25, 1, 0.75));
  const Words after = words.read()[0];
  EXPECT_EQ(after.i, 13);
  EXPECT_EQ(after.above, 1U) << "0 1 2 3 0, then 1";
  EXPECT_EQ(after.below, 2U) << "1 0 3, then 2";
  EXPECT_EQ(after.wide, (std::uint64_t{1} << 40) + 4);
  EXPECT_EQ(after.signed_wide, 6);
  EXPECT_EQ(after.f, 8.0F);
  EXPECT_EQ(after.d, 3.0);
}

struct Totals {
  int sum, least, most;
  unsigned bits_or, bits_and, bits_xor, turns, turns_back;
  unsigned long long wide_sum, wide_or, wide_and, wide_xor, wide_most, swapped;
  long long wide_least;
  float float_sum;
  double double_sum;
  std::uint16_t halves[2];
  std::uint16_t brains[2];
  std::uint16_t half_sum;
  std::uint16_t brain_sum;
};

TEST_F(Atomics, LoseNothingUnderContention) {
  constexpr unsigned kBlocks = 8, kBlock = 64;
  constexpr int kThreads = kBlocks * kBlock;
  Totals start{};
  start.bits_and = ~0U;
  start.wide_and = ~0ULL;
  const DeviceArray<Totals> totals(driver(), std::vector{start});
  ASSERT_EQ(run("all_at_once", {.grid = kBlocks, .block = kBlock}, totals.get()), CUDA_SUCCESS);
  const Totals got = totals.read()[0];
  EXPECT_EQ(got.sum, kThreads * (kThreads - 1) / 2);
  EXPECT_EQ(got.least, -(kThreads - 1));
  EXPECT_EQ(got.most, kThreads - 1);
  EXPECT_EQ(got.bits_or, (1U << 29) - 1);
  EXPECT_EQ(got.bits_and, ~0x7fU);
  EXPECT_EQ(got.bits_xor, 0U) << "0 to 511: each bit an even number of times";
  EXPECT_EQ(got.turns, kThreads % 101U);
  EXPECT_EQ(got.turns_back, (101U - kThreads % 101U) % 101U);
  EXPECT_EQ(got.wide_sum, std::uint64_t{kThreads} << 33);
  EXPECT_EQ(got.wide_or, ~0ULL);
  EXPECT_EQ(got.wide_and, ~((1ULL << 50) - 1));
  EXPECT_EQ(got.wide_xor, 0U);
  EXPECT_EQ(got.wide_most, std::uint64_t{kThreads - 1} << 40);
  EXPECT_EQ(got.wide_least, -(std::int64_t{kThreads - 1} << 40));
  EXPECT_EQ(got.swapped, 3U * kThreads);
  EXPECT_EQ(got.float_sum, kThreads * 0.25F);
  EXPECT_EQ(got.double_sum, kThreads * 0.125);
  // Bits of half: 512, -256, 128. Of bfloat16: 100, -100, 100.
  EXPECT_THAT(got.halves, ElementsAre(0x6000, 0xdc00));
  EXPECT_EQ(got.half_sum, 0x5800);
  EXPECT_THAT(got.brains, ElementsAre(0x42c8, 0xc2c8));
  EXPECT_EQ(got.brain_sum, 0x42c8);
}

TEST_F(Atomics, HaveTheScopesOfBlockDeviceAndSystem) {
  constexpr unsigned kBlocks = 5, kBlock = 96;
  const DeviceArray<int> of_block(driver(), 3 * kBlocks), of_system(driver(), 3), from_shared(driver(), 1);
  ASSERT_EQ(run("in_scopes", {.grid = kBlocks, .block = kBlock}, of_block.get(), of_system.get(), from_shared.get()),
            CUDA_SUCCESS);
  EXPECT_THAT(of_block.read(), ElementsAre(288, 288, 288, 288, 288, 95, 95, 95, 95, 95, 1, 2, 3, 4, 5));
  EXPECT_THAT(of_system.read(), ElementsAre(5 * 5 * 96, -95, 77));
  EXPECT_THAT(from_shared.read(), Each(2 * 5 * 96));
}

TEST_F(Atomics, MakeALock) {
  constexpr int kBlocks = 40;
  const DeviceArray<int> lock(driver(), 1), count(driver(), 2);
  ASSERT_EQ(run("under_a_lock", {.grid = kBlocks, .block = 32}, lock.get(), count.get()), CUDA_SUCCESS);
  EXPECT_THAT(count.read(), ElementsAre(kBlocks, kBlocks * (kBlocks + 1) / 2));
}

TEST_F(Atomics, LetTheLastBlockSeeWhatTheOthersWrote) {
  constexpr int kBlocks = 30;
  const DeviceArray<int> partial(driver(), kBlocks), total(driver(), 1, -1);
  const DeviceArray<unsigned> arrived(driver(), 1);
  ASSERT_EQ(run("last_block_sums", {.grid = kBlocks, .block = 32}, partial.get(), arrived.get(), total.get()),
            CUDA_SUCCESS);
  EXPECT_EQ(total.read()[0], (kBlocks - 1) * kBlocks * (2 * kBlocks - 1) / 6);
}

}  // namespace
}  // namespace cudahot::kernels
