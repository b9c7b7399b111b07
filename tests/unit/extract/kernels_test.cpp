#include "lib/extract/extract.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

using region::KernelParameter;
using testing::ElementsAre;

TEST(Kernels, OfTemplatesAreTheInstancesThatTheFileNames) {
  const region::Slice slice = TestTu(R"(template <class T, int N> __global__ void scale(T* p) {
#pragma cudahot begin(r)
  *p *= N;
#pragma cudahot end
}
template __global__ void scale<double, 3>(double*);
void host(float* p) { scale<float, 2><<<1, 1>>>(p); }
)")
                                  .slice();
  ASSERT_EQ(slice.kernels.size(), 2u);
  EXPECT_EQ(slice.kernels[0].name_expression, "scale<double, 3>");
  EXPECT_EQ(slice.kernels[0].mangled_name, "_Z5scaleIdLi3EEvPT_");
  EXPECT_EQ(slice.kernels[1].name_expression, "scale<float, 2>");
  EXPECT_THAT(slice.kernels[1].parameters, ElementsAre(KernelParameter{"p", "float *", 8, 0, "pointer"}));
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Kernels, OfTemplatesMayTakeTypesThatHaveTheirNameFromATypedef) {
  const region::Slice slice = TestTu(R"(typedef struct { float x, y; } Pair;
typedef enum { red, green } Colour;
enum { nameless };
template <class T> __global__ void fill(T* p, T value) {
#pragma cudahot begin(r)
  *p = value;
#pragma cudahot end
}
template <class T> void run(T* p) { fill<<<1, 1>>>(p, T{}); }
void host(Pair* p, Colour* c) { run(p), run(c), run((decltype(nameless)*)nullptr); }
)")
                                  .slice();
  ASSERT_EQ(slice.kernels.size(), 2u);
  EXPECT_EQ(slice.kernels[0].name_expression, "fill<Pair>");
  EXPECT_EQ(slice.kernels[0].mangled_name, "_Z4fillI4PairEvPT_S1_");
  EXPECT_EQ(slice.kernels[1].name_expression, "fill<Colour>");
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
}

TEST(Kernels, AreNamedWithTheirNamespacesExceptUnnamedOnes) {
  const region::Slice slice = TestTu(R"(namespace scene { namespace {
__global__ void shade(float* p) {
#pragma cudahot begin(r)
  *p = 1;
#pragma cudahot end
}
} }
extern "C" __global__ void plain(float* p) {
#pragma cudahot begin(s)
  *p = 1;
#pragma cudahot end
}
)")
                                  .slice();
  ASSERT_EQ(slice.kernels.size(), 2u);
  EXPECT_EQ(slice.kernels[0].name, "scene::shade");
  EXPECT_EQ(slice.kernels[0].name_expression, "scene::shade");
  EXPECT_EQ(slice.kernels[1].name, "plain");
  EXPECT_EQ(slice.kernels[1].name_expression, "");
  EXPECT_EQ(slice.kernels[1].mangled_name, "plain");
}

TEST(Kernels, ParametersLieAtTheirAlignment) {
  const region::Slice slice = TestTu(R"(struct Light { float3 at; char on; };
__global__ void k(char a, double b, Light c, float4 d, short e) {
#pragma cudahot begin(r)
#pragma cudahot end
}
)")
                                  .slice();
  EXPECT_THAT(
      slice.kernels.at(0).parameters,
      ElementsAre(KernelParameter{"a", "char", 1, 0, "char"}, KernelParameter{"b", "double", 8, 8, "double"},
                  KernelParameter{"c", "Light", 16, 16, "Light {0: float3 at; 12: char on}"},
                  KernelParameter{"d", "float4", 16, 32, "float4"}, KernelParameter{"e", "short", 2, 48, "short"}));
}

TEST(Kernels, ParametersSayWhatTheirBytesMean) {
  const region::Slice slice = TestTu(R"(using Real = float;
enum class Mode { fast, exact };
struct Empty {};
struct Base { double width; };
namespace scene { template <class T> struct Pair : Base, Empty { T both[2]; unsigned low : 4, high : 12; }; }
typedef struct { short x; } Short;
__global__ void k(const Real a, Mode b, scene::Pair<Real> c, const Short d, Short* e, void (*f)(int), unsigned long g) {
#pragma cudahot begin(r)
#pragma cudahot end
}
)")
                                  .slice();
  std::vector<std::string> canonical;
  for (const KernelParameter& each : slice.kernels.at(0).parameters) canonical.push_back(each.canonical);
  EXPECT_THAT(canonical,
              ElementsAre("float", "Mode",
                          "scene::Pair<float> {0: Base {0: double width}; 8: float[2] both; 16: unsigned int low : 4; "
                          "16: unsigned int high : 12}",
                          "Short {0: short x}", "pointer", "pointer", "unsigned long"));
}

TEST(Kernels, NameTheRegionsThatTheyReach) {
  const region::Slice slice = TestTu(R"(__device__ float f(float x) {
#pragma cudahot begin(in_f)
  x += 1;
#pragma cudahot end
  return x;
}
template <class T> __device__ T through(T x) { return f(x); }
__global__ void a(float* p) { *p = through(*p); }
__global__ void b(float* p) {
#pragma cudahot begin(in_b)
  *p = 1;
#pragma cudahot end
#pragma cudahot begin(in_b_too)
  *p = 2;
#pragma cudahot end
}
)")
                                  .slice();
  ASSERT_EQ(slice.kernels.size(), 2u);
  EXPECT_THAT(slice.kernels[0].regions, ElementsAre("in_f"));
  EXPECT_THAT(slice.kernels[1].regions, ElementsAre("in_b", "in_b_too"));
  EXPECT_THAT(slice.regions,
              ElementsAre(testing::Field(&region::Region::name, "in_f"), testing::Field(&region::Region::name, "in_b"),
                          testing::Field(&region::Region::name, "in_b_too")));
}

}  // namespace
}  // namespace cudahot::extract
