// Every function of cudahot/device.cuh on the device against the host build of the same text, whose
// functions tests/unit/kernels compares with independent computations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "host_results.hpp"
#include "kernels_under_test.hpp"

namespace cudahot::kernels {
namespace {

constexpr unsigned kIndexes = 4096;

// Results agree within this times the larger of 1 and their size: the device contracts
// multiplications and additions, and its functions (sinf, powf, cbrtf...) are within a few units in
// the last place of the host's (CUDA C++ Programming Guide, "Standard Functions"); noise and
// elastic easing multiply such differences by up to 100.
constexpr double kTolerance = 5e-5;

struct HelperFunctions : KernelTest {
  static void SetUpTestSuite() { open("helper_functions.cu"); }
};

TEST_F(HelperFunctions, AgreeWithTheHostBuild) {
  const DeviceArray<float> out(driver(), kIndexes * most_results(), -1);
  ASSERT_EQ(run("evaluate", {.grid = kIndexes / 64, .block = 64}, out.get()), CUDA_SUCCESS);
  const std::vector<float> results = out.read();
  for (unsigned index = 0; index < kIndexes; ++index) {
    const std::vector<float> expected = host_results(index);
    const float* got = &results[index * most_results()];
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (i < exact_results()) {
        ASSERT_EQ(got[i], expected[i]) << "index " << index << ", result " << i;
      } else {
        const double tolerance = kTolerance * std::max(1.0, std::abs(static_cast<double>(expected[i])));
        ASSERT_NEAR(got[i], expected[i], tolerance) << "index " << index << ", result " << i;
      }
    }
  }
}

}  // namespace
}  // namespace cudahot::kernels
