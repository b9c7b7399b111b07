#include "lib/cpu_device/code/unsupported.hpp"

#include <gtest/gtest.h>

#include "tests/unit/cpu_device/code/code_under_test.hpp"

namespace cudahot::cpu_device {
namespace {

struct Case {
  const char* text;
  const char* message;
};

TEST(Unsupported, NamesTheFeatureAndTheWord) {
  const Case cases[] = {
      {"__global__ void k() { int x; asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x)); }", "inline PTX (asm)"},
      {"__global__ void __cluster_dims__(2, 1, 1) k() {}", "thread block clusters (__cluster_dims__)"},
      {"__global__ void k() { child<<<1, 1>>>(); }", "launches from device code (dynamic parallelism) (<<<)"},
      {"__global__ void k() { cg::this_multi_grid().sync(); }", "groups of several grids (this_multi_grid)"},
      {"__global__ void k() { void* p; cudaMalloc(&p, 4); }", "calls of the CUDA API from device code (cudaMalloc)"},
      {"__global__ void k() { cudaGridDependencySynchronize(); }",
       "programmatic dependent launches (cudaGridDependencySynchronize)"},
      {"#include <mma.h>\n", "tensor core operations (mma.h)"},
      {"#include <cub/block/block_reduce.cuh>\n", "CUB (cub/block/block_reduce.cuh)"},
      {"__global__ void k() { auto g = cg::coalesced_threads(); }", "coalesced groups (coalesced_threads)"},
      {"__global__ void k(cudaTextureObject_t o) { tex3D<float>(o, 0, 0, 0); }",
       "textures other than 2D and linear 1D at one level (tex3D)"},
      {"#define WARP(x) asm(x)\n__global__ void k() { WARP(\"exit;\"); }", "inline PTX (asm)"},
      {"#define SHARED extern __shared__ int s[]\n__global__ void k() { SHARED; }",
       "dynamic shared memory that a macro declares (extern __shared__)"},
  };
  for (const auto& c : cases) {
    const auto found = find_unsupported(test::make_slice(c.text, {"k"})).refusals;
    ASSERT_EQ(found.size(), 1U) << c.text;
    EXPECT_EQ(found[0].text, std::string("the CPU device does not have ") + c.message);
    EXPECT_EQ(found[0].id, "CH025");
    EXPECT_NE(found[0].hint.find("--arch"), std::string::npos);
  }
}

TEST(Unsupported, StandsAtTheLineOfTheUsersFileOncePerFeature) {
  const auto found =
      find_unsupported(
          test::make_slice("#line 40 \"shade.cu\"\n\n__global__ void k() {\n  asm(\"\");\n  asm volatile(\"\");\n}\n",
                           {"k"}))
          .refusals;
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].location, (SourceLocation{"/home/user/shade.cu", 42, 3}));
  EXPECT_EQ(found[0].frame, "  asm(\"\");\n  ^~~\n");
}

// With NVRTC's words.
TEST(Unsupported, InitialisersOfSharedVariablesAreRefusedWhereAKernelReachesThem) {
  const auto object =
      test::compile(test::make_slice("__device__ int unused() { __shared__ int y = 1; return y; }\n"
                                     "__global__ void k(int* p) {\n  __shared__ int x = 5;\n  *p = x;\n}\n",
                                     {"k"}));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::source);
  ASSERT_EQ(object.error().diagnostics.size(), 1U);
  const Diagnostic& found = object.error().diagnostics[0];
  EXPECT_EQ(found.text, "initializer not allowed for __shared__ variable");
  EXPECT_EQ(found.location, (SourceLocation{"/home/user/shade.cu", 3, 18}));
  EXPECT_EQ(found.frame, "  __shared__ int x = 5;\n                 ^\n");
  EXPECT_NE(found.hint, "");
}

TEST(Unsupported, CommentsAndLiteralsAndShiftsAreFree) {
  EXPECT_TRUE(
      find_unsupported(test::make_slice("// asm wmma\nconst char* t = \"asm <<<\"; int x = 1 << 2; int y = x < 3;\n"
                                        "A<B<C<int>>> deep;\n",
                                        {}))
          .refusals.empty());
}

TEST(Unsupported, GridsSayWhereAThreadIsButDoNotSynchronise) {
  const std::string include = "#include <cooperative_groups.h>\n";
  EXPECT_TRUE(test::compile(test::make_slice(
      include + "__global__ void k(int* p) { *p = int(cooperative_groups::this_grid().thread_rank()); }\n", {"k"})));
  const auto object = test::compile(
      test::make_slice(include + "__global__ void k() { cooperative_groups::this_grid().sync(); }\n", {"k"}));
  ASSERT_FALSE(object);
  EXPECT_NE(object.error().message.find("the CPU device cannot synchronise the blocks of a grid"), std::string::npos);
  EXPECT_EQ(object.error().location.file, "/home/user/shade.cu");
  EXPECT_EQ(object.error().location.line, 2U);
}

TEST(Unsupported, IsWhatCompileRefuses) {
  const auto object = test::compile(test::make_slice("__global__ void k() { asm(\"exit;\"); }\n", {"k"}));
  ASSERT_FALSE(object);
  EXPECT_EQ(object.error().code, ErrorCode::source);
  EXPECT_EQ(object.error().location, (SourceLocation{"/home/user/shade.cu", 1, 23}));
}

}  // namespace
}  // namespace cudahot::cpu_device
