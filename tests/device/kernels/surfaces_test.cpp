// Surfaces of two dimensions: all exact.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "images.hpp"
#include "kernels_under_test.hpp"

namespace cudahot::kernels {
namespace {

constexpr int kWidth = 21, kHeight = 6;

struct Surfaces : KernelTest {
  static void SetUpTestSuite() { open("images.cu"); }

  template <typename Texel>
  static void expect_turned(const std::string& kernel, CUarray_format format, unsigned channels) {
    std::vector<Texel> texels(kWidth * kHeight);
    auto* const bytes = reinterpret_cast<unsigned char*>(texels.data());
    // No byte sequence here is a float that is not a number.
    for (std::size_t i = 0; i < texels.size() * sizeof(Texel); ++i) bytes[i] = static_cast<unsigned char>(i % 120);
    Image in(driver(), format, channels, kWidth, kHeight, texels.data());
    Image out(driver(), format, channels, kWidth, kHeight, texels.data());
    ASSERT_EQ(run(kernel, {.grid = {3, 2}, .block = {8, 4}}, in.surface(), out.surface(), kWidth, kHeight),
              CUDA_SUCCESS);
    std::vector<Texel> got(texels.size());
    out.read(got.data());
    std::reverse(texels.begin(), texels.end());
    EXPECT_EQ(got, texels) << kernel;
  }
};

TEST_F(Surfaces, HoldTexelsOfEverySize) {
  expect_turned<std::int16_t>("turn<short>", CU_AD_FORMAT_SIGNED_INT16, 1);
  expect_turned<std::array<unsigned char, 4>>("turn<uchar4>", CU_AD_FORMAT_UNSIGNED_INT8, 4);
  expect_turned<float>("turn<float>", CU_AD_FORMAT_FLOAT, 1);
  expect_turned<std::array<float, 4>>("turn<float4>", CU_AD_FORMAT_FLOAT, 4);
}

using Place = std::array<int, 2>;

TEST_F(Surfaces, AreReadBeyondTheirEdgesAsTheBoundaryModeSays) {
  std::vector<std::uint32_t> texels(kWidth * kHeight);
  for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::uint32_t>(i) * 0x01010101U + 1;
  Image image(driver(), CU_AD_FORMAT_UNSIGNED_INT8, 4, kWidth, kHeight, texels.data());
  const std::vector<Place> places{{0, 0},          {-1, 0},           {-5, 3},       {kWidth, 2},
                                  {kWidth + 9, 5}, {4, -1},           {4, kHeight},  {-2, -2},
                                  {20, 5},         {kWidth, kHeight}, {-1, kHeight}, {kWidth + 1, -7}};
  const DeviceArray<Place> at(driver(), places);
  const DeviceArray<std::uint32_t> clamped(driver(), places.size(), 9), zeroed(driver(), places.size(), 9);
  ASSERT_EQ(run("read_beyond", {.grid = 1, .block = static_cast<unsigned>(places.size())}, image.surface(), at.in(),
                clamped.get(), zeroed.get()),
            CUDA_SUCCESS);
  const auto got_clamped = clamped.read(), got_zeroed = zeroed.read();
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto [x, y] = places[i];
    const int near_x = std::clamp(x, 0, kWidth - 1), near_y = std::clamp(y, 0, kHeight - 1);
    const std::uint32_t nearest = texels[static_cast<std::size_t>(near_y * kWidth + near_x)];
    EXPECT_EQ(got_clamped[i], nearest) << x << ' ' << y;
    EXPECT_EQ(got_zeroed[i], near_x == x && near_y == y ? nearest : 0U) << x << ' ' << y;
  }
}

TEST_F(Surfaces, AreWrittenBeyondTheirEdgesAsTheBoundaryModeSays) {
  std::vector<int> clamped(kWidth * kHeight, 7), dropped = clamped;
  Image clamped_image(driver(), CU_AD_FORMAT_SIGNED_INT32, 1, kWidth, kHeight, clamped.data());
  Image dropped_image(driver(), CU_AD_FORMAT_SIGNED_INT32, 1, kWidth, kHeight, dropped.data());
  // No two of these lead to one texel.
  const std::vector<Place> places{{3, 2}, {-1, 1}, {-8, 4}, {kWidth, 2}, {5, -1}, {6, kHeight + 3}, {-1, -1}};
  const DeviceArray<Place> at(driver(), places);
  ASSERT_EQ(run("write_beyond", {.grid = 1, .block = static_cast<unsigned>(places.size())}, clamped_image.surface(),
                dropped_image.surface(), at.in()),
            CUDA_SUCCESS);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto [x, y] = places[i];
    const int near_x = std::clamp(x, 0, kWidth - 1), near_y = std::clamp(y, 0, kHeight - 1);
    const auto at_texel = static_cast<std::size_t>(near_y * kWidth + near_x);
    clamped[at_texel] = 100 + static_cast<int>(i);
    if (near_x == x && near_y == y) dropped[at_texel] = 100 + static_cast<int>(i);
  }
  std::vector<int> got(clamped.size());
  clamped_image.read(got.data());
  EXPECT_EQ(got, clamped);
  dropped_image.read(got.data());
  EXPECT_EQ(got, dropped);
}

// Without a boundary mode it is the one that traps.
TEST_F(Surfaces, EndTheContextBeyondTheirEdgesUnlessABoundaryModeSaysOtherwise) {
  CUDAHOT_IN_OWN_PROCESS();
  const std::vector<int> texels{5, 6};
  Image image(driver(), CU_AD_FORMAT_SIGNED_INT32, 1, 2, 1, texels.data());
  const DeviceArray<int> out(driver(), 2, -1);
  ASSERT_EQ(run("trap_beyond", {}, image.surface(), out.get(), 0), CUDA_SUCCESS);
  EXPECT_THAT(out.read(), ::testing::ElementsAre(6, 5));
  const CUresult beyond = run("trap_beyond", {}, image.surface(), out.get(), 80);
  EXPECT_TRUE(cuda::is_fatal_for_context(beyond)) << cuda::describe(driver(), beyond);
  std::_Exit(HasFailure() ? 1 : 0);  // what the context held cannot be given back
}

}  // namespace
}  // namespace cudahot::kernels
