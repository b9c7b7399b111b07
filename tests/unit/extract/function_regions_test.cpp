// Regions around whole functions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/region/splice.hpp"
#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

using region::Segment;
using region::Variable;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Kind = region::Region::Kind;

std::vector<std::string> kernels(const region::Slice& slice) {
  std::vector<std::string> list;
  for (const region::Kernel& kernel : slice.kernels) list.push_back(kernel.name);
  return list;
}

TEST(FunctionRegions, MakeTheirKernelsHotAndThoseThatReachTheirFunctions) {
  const region::Slice slice = TestTu(R"cu(__device__ float tone(float x);
__global__ void reaches(float* p) { *p = tone(1); }
__global__ void cold(float* p) { *p = 3; }
#pragma cudahot begin(fns)
// brighter
__device__ float tone(float x) { return 2 * x; }

__global__ void holds(float* p, int n) { *p = n; }
#pragma cudahot end
)cu")
                                  .slice();
  EXPECT_THAT(kernels(slice), ElementsAre("reaches", "holds"));
  EXPECT_THAT(slice.kernels[0].regions, ElementsAre("fns"));
  EXPECT_EQ(slice.kernels[1].line, 8u);
  const region::Region& region = region_named(slice, "fns");
  EXPECT_EQ(region.kind, Kind::functions);
  EXPECT_EQ(region.function, "tone");
  EXPECT_EQ(region.first_line, 5u);
  EXPECT_THAT(region.declared,
              ElementsAre(Variable{"tone", "float (float)"}, Variable{"holds", "void (float *, int)"}));
  EXPECT_THAT(body_text(slice, "fns"), testing::StartsWith("// brighter\n__device__ float tone"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(FunctionRegions, AreCompiledWithTheKernelsAsAWhole) {
  const region::Slice slice = TestTu(R"cu(__device__ float help(float x) { return x + 1; }
#pragma cudahot begin(fns)
inline __device__ float tone(float x) { return help(x); }
__device__ float later(float x);
#pragma cudahot end
__device__ float uses(float x) { return tone(x); }
__device__ float declared(float x) { return later(x); }
__device__ float later(float x) { return x; }
__global__ void k(float* p) { *p = uses(declared(*p)); }
)cu")
                                  .slice();
  const auto kind_at = [&](const std::string& text) {
    const std::size_t at = slice.text.find(text);
    for (const Segment& segment : slice.segments) {
      if (segment.range.begin <= at && at < segment.range.end) return segment.kind;
    }
    return Segment::Kind::prefix;
  };
  EXPECT_EQ(kind_at("help(float x) {"), Segment::Kind::helper);
  EXPECT_EQ(kind_at("tone(float x) {"), Segment::Kind::kernel);
  EXPECT_EQ(kind_at("later(float x);"), Segment::Kind::kernel);
  EXPECT_EQ(kind_at("uses(float x)"), Segment::Kind::kernel);
  EXPECT_EQ(kind_at("declared(float x)"), Segment::Kind::kernel);
  EXPECT_EQ(kind_at("later(float x) {"), Segment::Kind::kernel);
  EXPECT_EQ(quick_tier_errors(slice), "") << slice.text;
}

TEST(FunctionRegions, MayHoldTemplatesSpecialisationsMembersAndNamespaces) {
  const region::Slice slice = TestTu(R"cu(struct S { float x; __device__ float twice() const; };
namespace scene {
#pragma cudahot begin(fns)
template <class T> __device__ T tone(T x) { return x; }
template <> __device__ float tone<float>(float x) { return x + 1; }
namespace inner { __host__ __device__ float both(float x) { return x; } }
extern "C" __device__ float plain(float x) { return x; }
template <class T> __global__ void k(T* p) { *p = tone(*p) + inner::both(1) + plain(2); }
#pragma cudahot end
}
#pragma cudahot begin(member)
__device__ float S::twice() const { return 2 * x; }
#pragma cudahot end
__global__ void m(float* p) { *p = S{1}.twice(); }
void host(int* p) { scene::k<<<1, 1>>>(p); }
)cu")
                                  .slice();
  EXPECT_THAT(kernels(slice), ElementsAre("scene::k<int>", "m"));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(FunctionRegions, InAHeaderAreTheirOwnFile) {
  TestTu tu(R"cu(#include "tone.cuh"
__global__ void k(float* p) {
#pragma cudahot begin(body)
  *p = tone(*p);
#pragma cudahot end
}
)cu");
  tu.file("tone.cuh",
          "#pragma once\n#pragma cudahot begin(tone)\n"
          "inline __device__ float tone(float x) { return x; }\n#pragma cudahot end\n");
  const region::Slice slice = tu.slice();
  const region::Region& region = region_named(slice, "tone");
  EXPECT_EQ(slice.files[region.file].path, tu.path("tone.cuh"));
  EXPECT_EQ(region.first_line, 3u);
  EXPECT_THAT(slice.kernels.at(0).regions, ElementsAre("tone", "body"));
  const auto spliced = region::splice(slice, region.file,
                                      "#pragma once\n#pragma cudahot begin(tone)\n"
                                      "inline __device__ float tone(float x) {\n  return 2 * x;\n}\n"
                                      "#pragma cudahot end\n");
  ASSERT_TRUE(spliced) << spliced.error().message;
  ASSERT_EQ(spliced->kind, region::SpliceOutcome::Kind::spliced);
  EXPECT_EQ(compile_errors(spliced->slice), "") << spliced->slice.text;
}

TEST(FunctionRegions, FunctionThatTheDeviceCannotHaveIsExplained) {
  const ExtractReport report = TestTu(R"cu(#include <string>
#pragma cudahot begin(fns)
__host__ __device__ inline int size(const std::string& s) { return s.size(); }
__global__ void k(float* p) { *p = 1; }
#pragma cudahot end
)cu")
                                   .report();
  EXPECT_THAT(errors(report), ElementsAre("CH022 shade.cu:3"));
}

struct Refused {
  const char* name;
  const char* error;
  const char* source;
};
std::ostream& operator<<(std::ostream& out, const Refused& each) { return out << each.name; }
class FunctionRegionsRefuse : public testing::TestWithParam<Refused> {};

TEST_P(FunctionRegionsRefuse, WithTheIdAtTheLine) {
  const ExtractReport report = TestTu(GetParam().source).report();
  EXPECT_FALSE(report.slice);
  EXPECT_THAT(errors(report), ElementsAre(GetParam().error));
}

INSTANTIATE_TEST_SUITE_P(Source, FunctionRegionsRefuse,
                         testing::Values(Refused{"BeginInAFunctionAndEndBehindIt", "CH008 shade.cu:2",
                                                 R"cu(__global__ void k(float* p) {
#pragma cudahot begin(r)
  *p = 1;
}
#pragma cudahot end
)cu"},
                                         Refused{"EndInAFunctionThatBeginsInside", "CH008 shade.cu:4",
                                                 R"cu(#pragma cudahot begin(r)
__device__ float f() { return 1; }
__global__ void k(float* p) {
#pragma cudahot end
  *p = f();
}
)cu"},
                                         Refused{"MembersInTheirClass", "CH008 shade.cu:2", R"cu(struct S {
#pragma cudahot begin(r)
  __device__ float f() { return 1; }
#pragma cudahot end
};
__global__ void k(float* p) { *p = S().f(); }
)cu"},
                                         Refused{"BeginInTheParameters", "CH008 shade.cu:2",
                                                 R"cu(__global__ void k(float* p,
#pragma cudahot begin(r)
                  int n) { *p = n; }
#pragma cudahot end
)cu"},
                                         Refused{"HostFunction", "CH013 shade.cu:3", R"cu(#pragma cudahot begin(r)
__global__ void k(float* p) { *p = 1; }
void host() {}
#pragma cudahot end
)cu"},
                                         Refused{"Nothing", "CH027 shade.cu:1", R"cu(#pragma cudahot begin(r)
#pragma cudahot end
__global__ void k(float* p) { *p = 1; }
)cu"},
                                         Refused{"Class", "CH027 shade.cu:3", R"cu(#pragma cudahot begin(r)
__global__ void k(float* p) { *p = 1; }
struct S { int a; };
#pragma cudahot end
)cu"},
                                         Refused{"Variable", "CH027 shade.cu:2", R"cu(#pragma cudahot begin(r)
__device__ int counter;
__global__ void k(float* p) { *p = 1; }
#pragma cudahot end
)cu"},
                                         Refused{"DeclarationOnly", "CH027 shade.cu:1", R"cu(#pragma cudahot begin(r)
__device__ float f(float x);
#pragma cudahot end
__device__ float f(float x) { return x; }
__global__ void k(float* p) { *p = f(1); }
)cu"},
                                         Refused{"HalfANamespace", "CH026 shade.cu:2", R"cu(#pragma cudahot begin(r)
namespace n {
__global__ void k(float* p) { *p = 1; }
#pragma cudahot end
}
)cu"},
                                         Refused{"HalfAConditional", "CH021 shade.cu:4", R"cu(#if 1
#pragma cudahot begin(r)
__global__ void k(float* p) { *p = 1; }
#endif
#pragma cudahot end
)cu"},
                                         Refused{"NoKernelInReach", "CH023 shade.cu:1", R"cu(#pragma cudahot begin(r)
__device__ float f(float x) { return x; }
#pragma cudahot end
__global__ void k(float* p) { *p = 1; }
)cu"},
                                         Refused{"RegionInAFunctionOfARegion", "CH004 shade.cu:3",
                                                 R"cu(#pragma cudahot begin(r)
__global__ void k(float* p) {
#pragma cudahot begin(s)
  *p = 1;
#pragma cudahot end
}
#pragma cudahot end
)cu"}),
                         [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace cudahot::extract
