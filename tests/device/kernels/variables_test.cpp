// Device, constant and managed variables, in one generation of several kernels of one file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "kernels_under_test.hpp"

namespace cudahot::kernels {
namespace {

using ::testing::ElementsAre;

// Each test gets the variables as they begin.
struct Variables : KernelTest {
  static void SetUpTestSuite() { open("variables.cu"); }
  void SetUp() override {
    start();
    KernelTest::SetUp();
  }

  std::vector<double> look() {
    const DeviceArray<double> out(driver(), 15, -1);
    EXPECT_EQ(run("look", {}, out.get()), CUDA_SUCCESS);
    return out.read();
  }
};

TEST_F(Variables, BeginWithTheirInitialisers) {
  EXPECT_THAT(look(), ElementsAre(7, 1, 2, 3, 0.25, 0, 0, 0, 0, 1, 2, 3, 4, 8, 3));
}

TEST_F(Variables, KeepWhatOneKernelWroteForTheNext) {
  for (int launch = 0; launch < 2; ++launch) ASSERT_EQ(run("count", {.grid = 1, .block = 6}, 10), CUDA_SUCCESS);
  EXPECT_THAT(look(), ElementsAre(127, 1, 2, 3, 1.25, 4, 4, 2, 2, 1, 2, 3, 4, 24, 3));
}

TEST_F(Variables, AreSharedWithTheHostByTheirAddress) {
  const DeviceArray<int*> device(driver(), 1);
  const DeviceArray<double*> managed(driver(), 1);
  ASSERT_EQ(run("where", {}, device.get(), managed.get()), CUDA_SUCCESS);
  const auto frames = reinterpret_cast<CUdeviceptr>(device.read()[0]);
  double* const total = managed.read()[0];
  const int set = 100;
  ASSERT_EQ(driver().copy_to_device(frames, &set, sizeof(set)), CUDA_SUCCESS);
  EXPECT_EQ(*total, 0.25);
  *total = 4;
  ASSERT_EQ(run("count", {.grid = 1, .block = 1}, 1), CUDA_SUCCESS);
  EXPECT_EQ(*total, 4.5);
  int frames_now = 0;
  ASSERT_EQ(driver().copy_to_host(&frames_now, frames, sizeof(frames_now)), CUDA_SUCCESS);
  EXPECT_EQ(frames_now, 101);
}

}  // namespace
}  // namespace cudahot::kernels
