#include "lib/cpu_device/code/unused.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/cpu_device/code/unsupported.hpp"
#include "tests/unit/cpu_device/code/code_under_test.hpp"

namespace cudahot::cpu_device {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// The texts of the unused bodies of functions.
std::vector<std::string> unused_in(const std::string& text) {
  const auto slice = test::make_slice(text, {"k"});
  std::vector<std::string> bodies;
  for (const auto& body : find_unused(slice, find_declarations(text)).functions) {
    bodies.push_back(text.substr(body.begin, body.size()));
  }
  return bodies;
}

TEST(Unused, FollowsNamesFromTheKernels) {
  EXPECT_THAT(
      unused_in("__device__ int a() { return 1; }\n"
                "__device__ int b() { return a(); }\n"
                "static __device__ __forceinline__ int c() { return 3; }\n"
                "namespace n { template <class T, int n = sizeof(T)> __device__ T d(T t = 0) { return c(); } }\n"
                "__launch_bounds__(32) __global__ void k() { b(); }\n"),
      ElementsAre("{ return 3; }", "{ return c(); }"));
}

TEST(Unused, FollowsNamesThroughMacrosThatAreUsed) {
  const std::string functions =
      "__device__ int a() { return 1; }\n__device__ int b() { return 2; }\n"
      "#define A() a()\n#define B() b()\n";
  EXPECT_THAT(unused_in(functions + "__global__ void k() { A(); }\n"), ElementsAre("{ return 2; }"));
}

TEST(Unused, OneNameStandsForAllOverloads) {
  EXPECT_THAT(unused_in("__device__ int f(int) { return 1; }\nnamespace n { __device__ int f() { return 2; } }\n"
                        "__global__ void k() { f(1); }\n"),
              IsEmpty());
}

TEST(Unused, WhatCanBeReachedWithoutItsNameIsUsed) {
  for (const auto* text : {
           "struct S { __device__ int f() { return 1; } };\n",
           "__device__ S operator+(S a, S b) { return a; }\n",
           "__device__ int S::f() { return 1; }\n",
           "__device__ S::S() : x(1) { y = 2; }\n",
           "__device__ int* begin(S& s) { return s.x; }\n",
           "struct S : T<sizeof(int)> { int x; };\n",
           "__device__ int x{1};\n__device__ auto y = [](int n) { return n; };\n",
           "__device__ int f() { return 1; }\n__device__ int x = f();\n",
           "__device__ int f() { return 1; }\n#define CALL(name) f##name()\n",
           "template <class T> requires(sizeof(T) > 1) __device__ int f(T t) { return 1; }\n",
           "#if A\n__device__ int f(int) {\n#else\n__device__ int f(float) {\n#endif\nreturn 1; }\n",
           "__device__ int f() {\n#if A\nif (x) {\n#else\nif (y) {\n#endif\n} }\n",
       }) {
    EXPECT_THAT(unused_in(std::string(text) + "__global__ void k() { }\n"), IsEmpty()) << text;
  }
}

TEST(Unused, MacrosWithoutUse) {
  const std::string text =
      "#define LANE(x) asm(x)\n#define WARP LANE(1)\n#define BLOCK 1\n__global__ void k() { BLOCK; }\n";
  const auto unused = find_unused(test::make_slice(text, {"k"}), {});
  ASSERT_EQ(unused.macros.size(), 2U);
  EXPECT_EQ(text.substr(unused.macros[0].begin, unused.macros[0].size()), "(x) asm(x)");
}

TEST(Unused, FeaturesThereAreNoReasonToRefuseAndTheRestRuns) {
  const auto code =
      test::build(test::make_slice("#define EXIT() asm(\"exit;\")\n"
                                   "__device__ __forceinline__ unsigned lane() {\n"
                                   "  unsigned lane;\n"
                                   "#define TWO 2\n"
                                   "  asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));\n"
                                   "  return lane;\n"
                                   "}\n"
                                   "static __device__ unsigned sum(unsigned a) { return __vadd4(a, lane()); }\n"
                                   "extern \"C\" __global__ void k(int* p) { *p = TWO + __LINE__; }\n",
                                   {"k"}));
  int result = 0;
  EXPECT_EQ(code->launch("k", {}, &result).fault, "");
  EXPECT_EQ(result, 11);
}

TEST(Unused, AnEditThatBeginsToUseThemIsRefused) {
  const auto found = find_unsupported(
      test::make_slice("__device__ void f() { asm(\"exit;\"); }\n__global__ void k() { f(); }\n", {"k"}));
  EXPECT_THAT(found.unused, IsEmpty());
  ASSERT_EQ(found.refusals.size(), 1U);
  EXPECT_EQ(found.refusals[0].location, (SourceLocation{"/home/user/shade.cu", 1, 23}));
}

}  // namespace
}  // namespace cudahot::cpu_device
