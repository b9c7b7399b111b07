// Coordinates, barriers, warps and cooperative groups: integers, all exact. Expectations are those of
// the CUDA C++ Programming Guide.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernels_under_test.hpp"

namespace cudahot::kernels {
namespace {

using ::testing::ElementsAre;

struct Threads : KernelTest {
  static void SetUpTestSuite() { open("threads.cu"); }
};

template <typename T>
std::vector<T> row(const std::vector<T>& values, std::size_t length, std::size_t index) {
  return {&values[length * index], &values[length * index] + length};
}

TEST_F(Threads, KnowTheirPlaceInAllThreeDirections) {
  using Place = std::array<unsigned, 3>;
  const DeviceArray<Place> out(driver(), 2 * 3 * 2 * 5 * 3 * 2);
  ASSERT_EQ(run("coordinates", {.grid = {2, 3, 2}, .block = {5, 3, 2}}, out.get()), CUDA_SUCCESS);
  auto places = out.read();
  std::ranges::sort(places);
  std::vector<Place> want;
  for (unsigned x = 0; x < 10; ++x) {
    for (unsigned y = 0; y < 9; ++y) {
      for (unsigned z = 0; z < 4; ++z) want.push_back({x, y, z});
    }
  }
  EXPECT_EQ(places, want);
}

TEST_F(Threads, AreCountedAtBarriers) {
  for (const unsigned staying : {64U, 40U}) {
    const DeviceArray<int> out(driver(), 64 * 5, -1);
    ASSERT_EQ(run("count_at_barriers", {.grid = 1, .block = 64}, out.get(), staying), CUDA_SUCCESS);
    const auto counts = out.read();
    for (unsigned thread = 0; thread < staying; ++thread) {
      const auto mine = row(counts, 5, thread);
      EXPECT_EQ(mine[0], staying / 4) << thread;
      EXPECT_THAT((std::array{mine[1] != 0, mine[2] != 0, mine[3] != 0, mine[4] != 0}),
                  ElementsAre(true, false, true, false))
          << thread;
    }
  }
}

TEST_F(Threads, SortBetweenBarriers) {
  constexpr unsigned kBlock = 100, kBlocks = 3;
  std::vector<int> values(kBlock * kBlocks);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i * 7919 % 1009);
  const DeviceArray<int> sorted(driver(), values);
  ASSERT_EQ(run("sort", {.grid = kBlocks, .block = kBlock, .dynamic_shared_bytes = kBlock * sizeof(int)}, sorted.get()),
            CUDA_SUCCESS);
  for (auto begin = values.begin(); begin != values.end(); begin += kBlock) std::sort(begin, begin + kBlock);
  EXPECT_EQ(sorted.read(), values);
}

TEST_F(Threads, ShuffleWithinTheirSegments) {
  const DeviceArray<int> out(driver(), 32 * 8);
  ASSERT_EQ(run("shuffle", {.grid = 1, .block = 32}, out.get()), CUDA_SUCCESS);
  const auto values = out.read();
  for (int lane = 0; lane < 32; ++lane) {
    const int segment = lane / 8 * 8;
    const auto mine = row(values, 8, static_cast<std::size_t>(lane));
    EXPECT_EQ(mine[0], segment + 5);
    EXPECT_EQ(mine[1], lane - 3 >= segment ? lane - 3 : lane);
    EXPECT_EQ(mine[2], lane + 3 < segment + 8 ? lane + 3 : lane);
    EXPECT_EQ(mine[3], (lane ^ 9) < segment + 8 ? (lane ^ 9) : lane) << "earlier segments can be read, later not";
    EXPECT_EQ(mine[4], 31) << "-1 modulo the width";
    EXPECT_EQ(mine[5], lane ^ 1);
    EXPECT_EQ(mine[6], 7);
    EXPECT_EQ(mine[7], lane < 16 ? lane + 16 : lane);
  }
}

TEST_F(Threads, VoteMatchAndReduceAmongTheLanesOfTheMask) {
  const DeviceArray<unsigned> out(driver(), 8 * 12);
  ASSERT_EQ(run("vote", {.grid = 1, .block = 32}, out.get()), CUDA_SUCCESS);
  const auto values = out.read();
  const auto negative = [](int value) { return static_cast<unsigned>(-value); };
  //                                                ballot any all match any, all       add max min or xor,and
  EXPECT_THAT(row(values, 12, 0), ElementsAre(0x0aU, 0U, 1U, 0x49U, 0x0fU, 1U, 0U, 6U, 0U, 1U, 0xffU, 0U));
  EXPECT_THAT(row(values, 12, 1), ElementsAre(0x0aU, 0U, 1U, 0x92U, 0x0fU, 1U, 0U, 6U, 0U, 1U, 0xffU, 0U));
  EXPECT_THAT(row(values, 12, 5), ElementsAre(0xa0U, 1U, 0U, 0x24U, 0xf0U, 1U, 0U, 22U, negative(4), 5U, 0xffU, 4U));
}

TEST_F(Threads, OfHalfAWarpWaitForTheirHalf) {
  const DeviceArray<int> out(driver(), 32);
  ASSERT_EQ(run("rotate_halves", {.grid = 1, .block = 32}, out.get(), 5), CUDA_SUCCESS);
  const auto values = out.read();
  for (int lane = 0; lane < 16; ++lane) {
    EXPECT_EQ(values[static_cast<std::size_t>(lane)], (lane + 5) % 16);
    EXPECT_EQ(values[static_cast<std::size_t>(lane + 16)], 16 + (lane + 6) % 16);
  }
}

TEST_F(Threads, FormTilesOfTheirBlock) {
  const DeviceArray<int> out(driver(), 64 * 16);
  ASSERT_EQ(run("tiles", {.grid = 1, .block = {8, 8}}, out.get()), CUDA_SUCCESS);
  const auto values = out.read();
  for (int rank = 0; rank < 64; ++rank) {
    SCOPED_TRACE(rank);
    const auto mine = row(values, 16, static_cast<std::size_t>(rank));
    const int tile = rank / 8 * 8, warp = rank / 32 * 32, in_tile = rank % 8;
    EXPECT_EQ(mine[0], tile * 8 + 28);
    EXPECT_EQ(mine[1], (rank % 32) / 8 * 100 + 4 * 10 + in_tile) << "counted within the warp it is part of";
    EXPECT_EQ(mine[2], rank / 32 * 100 + 2 * 10);
    EXPECT_EQ(mine[3], 4);
    EXPECT_EQ(mine[4], warp * 32 + 31 * 16);
    EXPECT_EQ(mine[5], tile + 7);
    EXPECT_EQ(mine[6], tile);
    EXPECT_EQ(mine[7], tile * in_tile + in_tile * (in_tile - 1) / 2);
    int sum = 0;
    for (int i = warp; i <= rank; ++i) sum += i % 3 + 1;
    EXPECT_EQ(mine[8], sum);
    EXPECT_EQ(mine[9], tile == 8);
    EXPECT_EQ(mine[10], rank >= 16);
    EXPECT_EQ(mine[11], (rank ^ 3) * 100 + (in_tile >= 2 ? rank - 2 : rank));
    EXPECT_EQ(mine[12], rank % 4 * 10 + 4);
    EXPECT_EQ(mine[13], rank / 2 % 2 == 0 ? 0x33 : 0xcc);
    EXPECT_EQ(mine[14], (63 - rank) * 3);
    EXPECT_EQ(mine[15], rank / 8 * 1000 + 8 * 100 + 64);
  }
}

}  // namespace
}  // namespace cudahot::kernels
