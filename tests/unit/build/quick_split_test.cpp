#include "lib/build/quick_split.hpp"

#include <gtest/gtest.h>

#include "tests/unit/build/slices.hpp"

namespace cudahot::build {
namespace {

using testing::SliceMaker;

TEST(SplitForQuickTier, DeclaresHelpersForTheKernelsAndBlanksKernelsForTheHelpers) {
  const auto texts = split_for_quick_tier(SliceMaker()
                                              .prefix("struct S {};\n")
                                              .helper("__device__ float twice(float x) ", "{\n  return 2 * x;\n}\n")
                                              .kernel("K", "__global__ void K() {\n", "  twice(1);\n", "}\n")
                                              .make());
  ASSERT_TRUE(texts);
  EXPECT_EQ(texts->kernels,
            "struct S {};\n"
            "__device__ float twice(float x) ;\n\n\n"
            "__global__ void K() {\n  twice(1);\n}\n");
  EXPECT_EQ(texts->helpers,
            "struct S {};\n"
            "__device__ float twice(float x) {\n  return 2 * x;\n}\n"
            "                     \n           \n \n");
}

TEST(SplitForQuickTier, NothingToSplitOffMeansWhole) {
  EXPECT_FALSE(split_for_quick_tier(SliceMaker().prefix("int a;\n").kernel("K", "", "x;\n", "").make()));
}

// What becomes of one helper variable; nullopt where the slice is compiled whole.
std::optional<std::string> declared(std::string_view variable) {
  const auto texts = split_for_quick_tier(SliceMaker().helper_variable(variable).make());
  if (!texts) return std::nullopt;
  return texts->kernels;
}

TEST(SplitForQuickTier, VariablesBecomeExternWithoutTheirInitialiser) {
  EXPECT_EQ(declared("__device__ int n;"), "extern __device__ int n;");
  EXPECT_EQ(declared("__device__ int n = f(1, 2);"), "extern __device__ int n ;");
  EXPECT_EQ(declared("\n__constant__ float k[2] = {1,\n 2};\n"), "\nextern __constant__ float k[2] ;\n\n");
  EXPECT_EQ(declared("__device__ float4 v{1, 2, 3, 4};"), "extern __device__ float4 v;");
  EXPECT_EQ(declared("extern \"C\" __device__ int n = 3;"), "extern \"C\" __device__ int n ;");
  EXPECT_EQ(declared("__device__ __align__(16) float v[4];"), "extern __device__ __align__(16) float v[4];");
  EXPECT_EQ(declared("__device__ Pair<int, 3> p = {};"), "extern __device__ Pair<int, 3> p ;");
  EXPECT_EQ(declared("__device__ int /* a, b = 1; */ n = 2;"), "extern __device__ int /* a, b = 1; */ n ;");
}

TEST(SplitForQuickTier, VariablesThatTextAloneDoesNotDecideMeanWhole) {
  EXPECT_EQ(declared("__device__ int a = 1, b = 2;"), std::nullopt);
  EXPECT_EQ(declared("__device__ Vec v(1, 2);"), std::nullopt);
}

TEST(SplitForQuickTier, LineCountsStayTheSame) {
  const auto slice = testing::shade_slice().make();
  const auto texts = split_for_quick_tier(slice);
  ASSERT_TRUE(texts);
  const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  EXPECT_EQ(lines(texts->kernels), lines(slice.text));
  EXPECT_EQ(lines(texts->helpers), lines(slice.text));
}

}  // namespace
}  // namespace cudahot::build
