// What a region takes from the code around it and gives back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Interface, InIsWhatIsReadOrWrittenAndOutWhatIsUsedAfterwards) {
  const region::Slice slice = TestTu(R"(__global__ void k(float* p, int n, float unused) {
  float a = 1, b = 2, c = 3;
#pragma cudahot begin(r)
  float inner = a + n;
  b = inner;
  c = 4;
#pragma cudahot end
  p[0] = b;
})")
                                  .slice();
  const region::Region& region = region_named(slice, "r");
  EXPECT_THAT(region.in, ElementsAre(region::Variable{"a", "float"}, region::Variable{"n", "int"},
                                     region::Variable{"b", "float"}, region::Variable{"c", "float"}));
  EXPECT_THAT(names(region.out), ElementsAre("b"));
  EXPECT_THAT(region.declared, ElementsAre(region::Variable{"inner", "float"}));
}

TEST(Interface, InALoopWhatIsUsedBeforeIsUsedAfterwards) {
  const region::Slice slice = TestTu(R"(__global__ void k(float* p, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    p[i] = sum;
#pragma cudahot begin(r)
    sum += p[i];
#pragma cudahot end
  }
})")
                                  .slice();
  EXPECT_THAT(names(region_named(slice, "r").in), ElementsAre("sum", "p", "i"));
  EXPECT_THAT(names(region_named(slice, "r").out), ElementsAre("sum"));
}

TEST(Interface, SharedAndReferencedStateCounts) {
  const region::Slice slice = TestTu(R"(__global__ void k(float* p) {
  __shared__ float tile[32];
  float& first = p[0];
#pragma cudahot begin(r)
  tile[threadIdx.x] = 1;
  first = 2;
#pragma cudahot end
  p[1] = tile[0] + first;
})")
                                  .slice();
  EXPECT_THAT(names(region_named(slice, "r").in), ElementsAre("tile", "first"));
  EXPECT_THAT(names(region_named(slice, "r").out), ElementsAre("tile", "first"));
}

TEST(Interface, LoopsSwitchesAndLabelsOfItsOwnAreAllowed) {
  const ExtractReport report = TestTu(R"(__global__ void k(float* p, int n) {
#pragma cudahot begin(r)
  for (int i = 0; i < n; ++i) {
    if (i == 3) continue;
    switch (i) {
      case 1: break;
      default: p[i] = 1;
    }
    if (i > 9) break;
    if (i > 8) goto next;
    p[i] += 1;
  next:;
  }
  if (n < 0) return;
#pragma cudahot end
})")
                                   .report();
  EXPECT_THAT(errors(report), IsEmpty());
}

TEST(Interface, RegionMayBeEmpty) {
  const region::Slice slice = TestTu(R"(__global__ void k(float* p) {
#pragma cudahot begin(r)
#pragma cudahot end
})")
                                  .slice();
  EXPECT_EQ(region_named(slice, "r").body.size(), 0u);
  EXPECT_EQ(region_named(slice, "r").first_line, 3u);
  EXPECT_THAT(slice.text.substr(region_named(slice, "r").body.end), testing::StartsWith("#line 3 "));
}

}  // namespace
}  // namespace cudahot::extract
