#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "host_device.hpp"
#define __device__
#include "evaluate_all.cuh"

namespace cudahot::kernels {
namespace {

TEST(EvaluateAll, GivesFiniteResultsOfOneCountForEveryIndex) {
  std::vector<float> results(kMostResults);
  const int count = evaluate_all(0, results.data());
  EXPECT_GT(count, 100);
  ASSERT_LE(count, kMostResults);
  for (unsigned index = 0; index < 5000; ++index) {
    ASSERT_EQ(evaluate_all(index, results.data()), count);
    for (int i = 0; i < count; ++i) {
      ASSERT_TRUE(std::isfinite(results[static_cast<std::size_t>(i)])) << index << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace cudahot::kernels
