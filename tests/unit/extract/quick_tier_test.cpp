// Segments, and that each half of the quick tier compiles by itself.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

using region::Segment;
using testing::UnorderedElementsAre;

std::vector<std::string> names_of(const region::Slice& slice, Segment::Kind kind) {
  std::vector<std::string> list;
  for (const Segment& segment : slice.segments) {
    if (segment.kind == kind) list.push_back(segment.name);
  }
  return list;
}

constexpr std::string_view kKernel = R"(__global__ void k(float* p) {
#pragma cudahot begin(r)
  *p = f(*p);
#pragma cudahot end
}
)";

region::Slice slice_of(const std::string& before) { return TestTu(before + std::string(kKernel)).slice(); }

TEST(Segments, CoverTheTextWithoutGaps) {
  const region::Slice slice = slice_of(R"(namespace a {
struct S { float v; __device__ float get() const; };
__device__ float S::get() const { return v; }
}
__constant__ float table[2] = {1, 2};
__device__ float f(float x) { return a::S{x}.get() + table[0]; }
)");
  std::size_t position = 0;
  for (const Segment& segment : slice.segments) {
    EXPECT_EQ(segment.range.begin, position);
    EXPECT_GE(segment.declaration_end, segment.range.begin);
    EXPECT_LE(segment.declaration_end, segment.range.end);
    position = segment.range.end;
  }
  EXPECT_EQ(position, slice.text.size());
  EXPECT_THAT(names_of(slice, Segment::Kind::helper), UnorderedElementsAre("a::S::get", "table", "f"));
  EXPECT_THAT(names_of(slice, Segment::Kind::kernel), UnorderedElementsAre("k"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
  EXPECT_EQ(quick_tier_errors(slice), "") << slice.text;
}

TEST(Segments, HelperEndsItsDeclarationBeforeTheBody) {
  const region::Slice slice = slice_of("__device__ float f(float x) { return x; }\n");
  for (const Segment& segment : slice.segments) {
    if (segment.kind != Segment::Kind::helper) continue;
    EXPECT_EQ(slice.text.substr(segment.range.begin, segment.declaration_end - segment.range.begin),
              "__device__ float f(float x) ");
    EXPECT_EQ(slice.text.substr(segment.declaration_end, segment.range.end - segment.declaration_end), "{ return x; }");
  }
}

TEST(Segments, WhatMayBeTwiceIsPrefix) {
  const region::Slice slice = slice_of(R"(template <class T> __device__ T twice(T x) { return 2 * x; }
__device__ inline float in_line(float x) { return x; }
static __device__ float internal(float x) { return x; }
namespace { __device__ float hidden(float x) { return x; } }
__forceinline__ __device__ float forced(float x) { return x; }
__device__ constexpr float constant(float x) { return x; }
constexpr float kScale = 2;
enum class Way { left, right };
using real = float;
__device__ float f(real x) { return twice(in_line(internal(hidden(forced(constant(x * kScale)))))); }
)");
  EXPECT_THAT(names_of(slice, Segment::Kind::helper), UnorderedElementsAre("f"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
  EXPECT_EQ(quick_tier_errors(slice), "") << slice.text;
}

TEST(Segments, DefinitionByMacroGoesWithTheKernels) {
  const region::Slice slice = slice_of(R"(#define DEFINE(name) __device__ float name(float x) { return x; }
DEFINE(f)
)");
  EXPECT_THAT(names_of(slice, Segment::Kind::kernel), UnorderedElementsAre("f", "k"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Segments, UsersOfAFunctionWithARegionGoWithTheKernels) {
  const region::Slice slice = TestTu(R"(__device__ float base(float x) { return x; }
__device__ float hot(float x) {
#pragma cudahot begin(r)
  x += 1;
#pragma cudahot end
  return base(x);
}
__device__ float caller(float x) { return hot(x); }
__device__ float bystander(float x) { return base(x); }
__global__ void k(float* p) { *p = caller(*p); }
__global__ void cold(float* p) { *p = bystander(*p); }
)")
                                  .slice();
  EXPECT_THAT(names_of(slice, Segment::Kind::kernel), UnorderedElementsAre("hot", "caller", "k"));
  EXPECT_THAT(names_of(slice, Segment::Kind::helper), UnorderedElementsAre("base", "bystander"));
  ASSERT_EQ(slice.kernels.size(), 1u);
  EXPECT_EQ(slice.kernels[0].name, "k");
  EXPECT_EQ(region_named(slice, "r").function, "hot");
  EXPECT_EQ(slice.text.find("cold"), std::string::npos);
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
  EXPECT_EQ(quick_tier_errors(slice), "") << slice.text;
}

TEST(Segments, VariableThatEachHalfWouldHaveForItselfGoesWithTheKernels) {
  const region::Slice slice = slice_of(R"(static __device__ float state;
__device__ float other(float x) { return x; }
__device__ float f(float x) { state = x; return other(x); }
)");
  EXPECT_THAT(names_of(slice, Segment::Kind::kernel), UnorderedElementsAre("state", "f", "k"));
  EXPECT_THAT(names_of(slice, Segment::Kind::helper), UnorderedElementsAre("other"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
  EXPECT_EQ(quick_tier_errors(slice), "") << slice.text;
}

// The half without the function would lack the macro, or have another one.
TEST(Segments, NothingIsCompiledApartWhereAFunctionDefinesMacros) {
  const region::Slice slice = slice_of(R"(#define GAIN 1
__device__ float first(float x) {
#undef GAIN
#define GAIN 2
  return x;
}
__device__ float f(float x) { return GAIN * first(x); }
)");
  EXPECT_THAT(names_of(slice, Segment::Kind::helper), testing::IsEmpty());
  EXPECT_EQ(quick_tier_errors(slice), "whole");
}

}  // namespace
}  // namespace cudahot::extract
