#include "lib/cpu_device/code/declarations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace cudahot::cpu_device {
namespace {

std::vector<std::string> mangled_variables(std::string_view text) {
  std::vector<std::string> names;
  for (const auto& variable : find_declarations(text).variables) names.push_back(mangle(variable));
  return names;
}

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Declarations, FindsVariablesInEveryNamespace) {
  EXPECT_THAT(mangled_variables("__device__ int frames;\n"
                                "namespace scene { __constant__ float4 tint[2]; namespace { __device__ int x = 1; } }\n"
                                "namespace a::b { static __device__ float k{2}; }\n"
                                "extern \"C\" { __managed__ int shared_count; }\n"),
              ElementsAre("frames", "_ZN5scene4tintE", "_ZN5scene12_GLOBAL__N_11xE", "_ZN1a1bL1kE", "shared_count"));
}

TEST(Declarations, FindsEachDeclaratorOfOneDeclaration) {
  EXPECT_THAT(mangled_variables("__device__ float a, *b = nullptr, c[2][3] = {{1, 2}}, d{4};"),
              ElementsAre("a", "b", "c", "d"));
}

TEST(Declarations, ConstantsAreInternalUnlessThePointerIsNot) {
  EXPECT_THAT(
      mangled_variables("__constant__ const float k = 1; __device__ const float* p; __device__ float* const q = 0;"),
      ElementsAre("_ZL1k", "p", "_ZL1q"));
}

TEST(Declarations, SeesThroughAttributesAndTemplateArguments) {
  EXPECT_THAT(mangled_variables("__device__ __align__(16) unsigned char raw[64];\n"
                                "__device__ alignas(8) Pair<int, float> pair;\n"
                                "__device__ float (*shader)(float, float) = nullptr;\n"
                                "__device__ int Scene::count = 3;\n"),
              ElementsAre("raw", "pair", "shader", "_ZN5Scene5countE"));
}

TEST(Declarations, FunctionsAndForeignVariablesAreNone) {
  EXPECT_THAT(mangled_variables("__device__ float f(float x);\n"
                                "__device__ float g() { static int n = 0; return n; }\n"
                                "extern __device__ int elsewhere;\n"
                                "__device__ constexpr float kPi = 3.14f;\n"
                                "template <typename T> __device__ T zero = T();\n"
                                "struct S { static __device__ int inside; };\n"
                                "/* __device__ int comment; */ const char* text = \"__device__ int literal;\";\n"),
              IsEmpty());
}

TEST(Declarations, DefaultArgumentsBeginNoInitializer) {
  const auto found = find_declarations(
      "__global__ void k(int* p = nullptr) { extern __shared__ int a[]; }\n"
      "template <int n = 3> __global__ void g() { extern __shared__ int b[]; }\n"
      "__device__ auto x = Pair<int, 2>{1, 2};\n");
  ASSERT_EQ(found.dynamic_shared.size(), 2U);
  EXPECT_FALSE(found.dynamic_shared[0].at_namespace_scope);
  ASSERT_EQ(found.variables.size(), 1U);
  EXPECT_EQ(found.variables[0].name, "x");
}

TEST(Declarations, TakesTheBranchesOfAConditionalEachFromItsStart) {
  EXPECT_THAT(mangled_variables("#if A\nnamespace one {\n#else\nnamespace two {\n#endif\n__device__ int x;\n}\n"
                                "__device__ int y;\n"),
              ElementsAre("_ZN3two1xE", "y"));
}

TEST(Declarations, FindsLaunchBounds) {
  const auto bounds = find_declarations(
                          "namespace n { __global__ void __launch_bounds__(kThreads, 2) shade(int* p) {} }\n"
                          "template <int n> __global__ __launch_bounds__(f(1, 2)) void k() {}\n")
                          .launch_bounds;
  ASSERT_EQ(bounds.size(), 2U);
  EXPECT_EQ(qualified(bounds[0].scope, bounds[0].kernel), "::n::shade");
  EXPECT_EQ(bounds[0].max_threads, "kThreads");
  EXPECT_EQ(bounds[1].kernel, "k");
  EXPECT_EQ(bounds[1].max_threads, "f(1, 2)");
}

TEST(Declarations, FindsSharedArraysWithoutASize) {
  const std::string_view text =
      "extern __shared__ float outside[];\n"
      "__global__ void k() { __shared__ int fixed[4]; extern __shared__ char a[], b[][4]; }\n";
  const auto arrays = find_declarations(text).dynamic_shared;
  ASSERT_EQ(arrays.size(), 3U);
  EXPECT_EQ(text.substr(arrays[0].name.begin, arrays[0].name.size()), "outside");
  EXPECT_TRUE(arrays[0].at_namespace_scope);
  EXPECT_EQ(text.substr(arrays[2].name.begin, arrays[2].name.size()), "b");
  EXPECT_FALSE(arrays[2].at_namespace_scope);
  EXPECT_EQ(text[arrays[2].declarator_end], ';');
}

TEST(Declarations, FindsInitialisersOfSharedVariables) {
  struct Case {
    const char* text;
    const char* name;  // nullptr: none
  };
  const Case cases[] = {
      {"__global__ void k() { __shared__ int x = 5; }", "x"},
      {"__global__ void k() { __shared__ int x{5}; }", "x"},
      {"__global__ void k() { static __shared__ __align__(8) int a[2] = {1, 2}; }", "a"},
      {"__global__ void k(bool b) { __shared__ bool x = !b; }", "x"},
      {"__shared__ float outside = 1;", "outside"},
      {"__shared__ n::Pair<int, 2> outside{};", "outside"},
      {"__shared__ int x __attribute__((aligned(16))) = 3;", "x"},
      {"__global__ void k() { __shared__ int x, y[n == 2 ? 4 : 5]; x = 5; }", nullptr},
      {"__global__ void k() { __shared__ Tile<n == 4> t; t.fill({5}); }", nullptr},
      {"__global__ void k() { __shared__ struct { int a; } s; s.a = 5; }", nullptr},
      {"__global__ void k() { __shared__ union Both { int a; float b; } s[2]; }", nullptr},
      {"__global__ void k() { extern __shared__ int s[]; int x = 5; }", nullptr},
  };
  for (const auto& c : cases) {
    const std::string_view text = c.text;
    const auto found = find_declarations(text).initialised_shared;
    ASSERT_EQ(found.size(), c.name == nullptr ? 0U : 1U) << text;
    for (const auto& range : found) EXPECT_EQ(text.substr(range.begin, range.size()), c.name);
  }
}

}  // namespace
}  // namespace cudahot::cpu_device
