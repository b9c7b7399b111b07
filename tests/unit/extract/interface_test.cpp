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

// What is changed through another name is out too.
struct Alias {
  const char* name;
  const char* before;  // the region
  const char* inside;
};
std::ostream& operator<<(std::ostream& out, const Alias& alias) { return out << alias.name; }
class InterfaceAliases : public testing::TestWithParam<Alias> {};

TEST_P(InterfaceAliases, AreFollowedToTheLocalsBehindThem) {
  const region::Slice slice =
      TestTu(
          "struct Pair { float x, y; };\n"
          "__device__ void store(float& to, float v) { to = v; }\n"
          "__device__ float& same(float& f) { return f; }\n"
          "struct Holder { float* at; __device__ void set(float v) { *at = v; } };\n"
          "__global__ void k(float* p) {\n  float a = 1, other = 2; Pair pair{}; float row[2] = {};\n" +
          std::string(GetParam().before) + "\n#pragma cudahot begin(r)\n" + GetParam().inside +
          "\n#pragma cudahot end\n  p[0] = a + other + pair.x + row[1];\n}\n")
          .slice();
  const std::vector<std::string> out = names(region_named(slice, "r").out);
  EXPECT_THAT(out, testing::Contains(GetParam().name == std::string("Array")    ? "row"
                                     : GetParam().name == std::string("Member") ? "pair"
                                                                                : "a"));
  EXPECT_THAT(out, testing::Not(testing::Contains("other")));
  EXPECT_THAT(names(region_named(slice, "r").in), testing::IsSupersetOf(out));
}

INSTANTIATE_TEST_SUITE_P(Before, InterfaceAliases,
                         testing::Values(Alias{"Reference", "float& r = a;", "r = 5;"},
                                         Alias{"Pointer", "float* q = &a;", "*q = 5;"},
                                         Alias{"PointerWithIndex", "float* q = &a;", "q[0] += 5;"},
                                         Alias{"PointerPassedOn", "float* q = &a;", "atomicAdd(q, 5.0f);"},
                                         Alias{"ReferenceToReference", "float& r = a; float& s = r;", "store(s, 5);"},
                                         Alias{"ReturnedReference", "float& r = same(a);", "r = 5;"},
                                         Alias{"Closure", "auto set = [&](float v) { a = v; };", "set(5);"},
                                         Alias{"NamedCapture", "auto set = [&a](float v) { a = v; };", "set(5);"},
                                         Alias{"Object", "Holder h{&a};", "h.set(5);"},
                                         Alias{"Assembly", "float* q = &a;", "asm(\"\" :: \"l\"(q) : \"memory\");"},
                                         Alias{"SteppedReference", "float& r = ++a;", "r = 5;"},
                                         Alias{"AssignedReference", "float& r = a += 1;", "r = 5;"},
                                         Alias{"ChosenReference", "float& r = p ? a : row[0];", "r = 5;"},
                                         Alias{"ReferenceOrElse", "float& r = a ?: row[0];", "r = 5;"},
                                         Alias{"ObjectInParentheses", "Holder h(&a);", "h.set(5);"},
                                         Alias{"Array", "float* q = row;", "q[1] = 5;"},
                                         Alias{"Member", "float& r = pair.x;", "r = 5;"}),
                         [](const auto& each) { return each.param.name; });

TEST(Interface, WhatNothingWritesIsNotOutThoughItHasAnAlias) {
  const region::Slice slice = TestTu(R"(__global__ void k(float* p) {
  float a = 1, b = 2;
  const float* q = &a;
#pragma cudahot begin(r)
  b = *q + a;
#pragma cudahot end
  p[0] = a + b;
})")
                                  .slice();
  EXPECT_THAT(names(region_named(slice, "r").out), ElementsAre("b"));
}

TEST(Interface, WhatIsChangedByNameAndReadThroughAnAliasIsOut) {
  const region::Slice slice = TestTu(R"(__global__ void k(float* p) {
  float a = 1;
  float* q = &a;
#pragma cudahot begin(r)
  a = 3;
#pragma cudahot end
  p[0] = *q;
})")
                                  .slice();
  EXPECT_THAT(names(region_named(slice, "r").out), ElementsAre("a"));
}

TEST(Interface, NamesPartsOfVariablesThatAreTakenApart) {
  const region::Slice slice = TestTu(R"(struct Pair { float x, y; };
__global__ void k(float* p) {
  Pair whole{1, 2};
  auto& [left, right] = whole;
#pragma cudahot begin(r)
  left = right;
  auto [one, two] = whole;
#pragma cudahot end
  p[0] = whole.x;
})")
                                  .slice();
  const region::Region& region = region_named(slice, "r");
  EXPECT_THAT(names(region.in), ElementsAre("left", "right", "whole"));
  EXPECT_THAT(names(region.out), ElementsAre("whole"));
  EXPECT_THAT(names(region.declared), ElementsAre("one", "two"));
}

}  // namespace
}  // namespace cudahot::extract
