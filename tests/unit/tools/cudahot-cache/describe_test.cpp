#include "tools/cudahot-cache/describe.hpp"

#include <gmock/gmock.h>

namespace cudahot::tool {
namespace {

using testing::ElementsAre;

TEST(KernelsOf, SplitsBetweenNamesAndNotInsideOfThem) {
  EXPECT_THAT(kernels_of("shade"), ElementsAre("shade"));
  EXPECT_THAT(kernels_of("a, K<int, float>, b"), ElementsAre("a", "K<int, float>", "b"));
  EXPECT_THAT(kernels_of("K<f(int, int)>, (anonymous namespace)::b"),
              ElementsAre("K<f(int, int)>", "(anonymous namespace)::b"));
  EXPECT_THAT(kernels_of(""), ElementsAre(""));
}

}  // namespace
}  // namespace cudahot::tool
