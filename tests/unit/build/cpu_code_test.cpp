#include "lib/build/cpu_code.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "lib/base/files.hpp"
#include "lib/build/builder.hpp"
#include "lib/build/helper_library.hpp"
#include "tests/unit/base/scoped_environment.hpp"
#include "tests/unit/build/slices.hpp"

namespace cudahot::build {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::shade_slice;
using ::testing::SizeIs;
using testing::SliceMaker;

Builder builder_without_toolkit() {
  return Builder(std::make_shared<cache::Layers>(cache::LayersOptions{}),
                 std::make_shared<Toolchain>("/no/toolkit/here"));
}

Result<BuiltCubin> build(const region::Slice& slice) {
  return builder_without_toolkit().find_or_build(slice, region::kCpuX86_64, region::Tier::full);
}

TEST(CpuCode, IsBuiltWithoutAToolkitAndFoundAgainInEitherTier) {
  auto builder = builder_without_toolkit();
  const auto slice = shade_slice().make();
  const auto built = builder.find_or_build(slice, region::kCpuX86_64, region::Tier::full);
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_TRUE(built->compiled);
  const cache::Artifact& artifact = *built->artifact;
  EXPECT_EQ(artifact.kind, cache::ArtifactKind::cubin);
  EXPECT_EQ(artifact.arch, region::kCpuX86_64);
  EXPECT_THAT(artifact.toolkit_version, HasSubstr("clang"));
  EXPECT_THAT(artifact.lowered_names, ElementsAre(std::pair<std::string, std::string>("Shade", "Shade")));
  const auto again = builder.find_or_build(slice, region::kCpuX86_64, region::Tier::quick);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_FALSE(again->compiled);
  EXPECT_EQ(again->key, built->key);
}

TEST(CpuCode, KeyHoldsTheIdentityOfClangInPlaceOfTheToolkits) {
  Toolchain toolchain("/no/toolkit/here");
  const auto identity = toolchain.identity(region::kCpuX86_64);
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_THAT(identity->nvrtc, HasSubstr(identity->version));
  EXPECT_THAT(identity->nvrtc, HasSubstr("prelude"));
  const auto built = build(shade_slice().make());
  ASSERT_TRUE(built) << built.error().message;
  EXPECT_EQ(built->key, cache::cubin_key(shade_slice().make(), region::kCpuX86_64, region::Tier::full, *identity,
                                         helper_library_digest())
                            .digest);
}

TEST(CpuCode, ACancelledToolchainEndsACompilerThatHangs) {
  const auto folder = base::TemporaryFolder::create("cudahot-test");
  ASSERT_TRUE(folder);
  const auto hangs = folder->path() / "clang++";
  std::ofstream(hangs) << "#!/bin/sh\nexec sleep 1000\n";
  std::filesystem::permissions(hangs, std::filesystem::perms::owner_all);
  const base::ScopedEnvironment clang("CUDAHOT_CLANG", hangs.c_str());
  Toolchain toolchain;
  toolchain.cancel();
  const auto identity = toolchain.identity(region::kCpuX86_64);
  ASSERT_FALSE(identity);
  EXPECT_EQ(identity.error().code, ErrorCode::busy) << identity.error().message;
}

TEST(CpuCode, FactsAndVariablesAreReadFromTheObject) {
  SliceMaker maker;
  maker.helper_variable("__constant__ float kBias[2] = {1.0f, 2.0f};\n__device__ int counter;\n")
      .helper_variable("__managed__ double total;\n")
      .kernel("Sum", "extern \"C\" __global__ void __launch_bounds__(128) Sum(float* out, int n, double scale) {\n",
              "  __shared__ float part[64];\n  part[threadIdx.x % 64] = n;\n  __syncthreads();\n",
              "  out[0] = float(part[0] * scale + kBias[0] + counter + total);\n}\n");
  const auto built = build(maker.make());
  ASSERT_TRUE(built) << built.error().message;
  const auto info = read_code(built->artifact->blob);
  ASSERT_TRUE(info) << info.error().message;
  ASSERT_THAT(info->kernels, SizeIs(1));
  const base::KernelFacts& kernel = info->kernels[0];
  EXPECT_EQ(kernel, built->artifact->kernels.at(0));
  EXPECT_EQ(kernel.lowered_name, "Sum");
  EXPECT_EQ(kernel.max_threads, 128u);
  EXPECT_EQ(kernel.static_shared_bytes, 256u);
  EXPECT_EQ(kernel.constant_bytes, 24u);
  EXPECT_THAT(kernel.parameters,
              ElementsAre(base::ParameterFacts{0, 8}, base::ParameterFacts{8, 4}, base::ParameterFacts{16, 8}));
  using Space = cuda::DeviceVariable::Space;
  ASSERT_THAT(info->variables, SizeIs(3));
  EXPECT_EQ(info->variables[0].name, "kBias");
  EXPECT_EQ(info->variables[0].space, Space::constant);
  EXPECT_EQ(info->variables[0].size, 8u);
  EXPECT_EQ(info->variables[1].name, "counter");
  EXPECT_EQ(info->variables[1].space, Space::global);
  EXPECT_EQ(info->variables[2].size, 8u);
}

TEST(CpuCode, ErrorsNameTheLineOfTheUsersFile) {
  const auto built = build(shade_slice("  value = nope;\n").make());  // line 7 of the maker's text
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().code, ErrorCode::source);
  ASSERT_THAT(built.error().diagnostics, SizeIs(1));
  EXPECT_EQ(built.error().diagnostics[0].location.file, "/home/user/shade.cu");
  EXPECT_EQ(built.error().diagnostics[0].location.line, 8u);
  EXPECT_THAT(built.error().diagnostics[0].text, HasSubstr("nope"));
}

TEST(CpuCode, FunctionOfTheHelperLibraryIsLinkedAlsoWhereOnlyAnEditUsesIt) {
  SliceMaker maker;
  maker.prefix("#include <cudahot/device.cuh>\n")
      .kernel("Shade", "__global__ void Shade(unsigned* out) {\n", "  out[0] = cudahot::device::pcg_hash(out[1]);\n",
              "}\n");
  const auto edited = build(maker.make());
  EXPECT_TRUE(edited) << edited.error().message;
  const auto extracted = build(maker.uses_library().make());
  EXPECT_TRUE(extracted) << extracted.error().message;
}

TEST(CpuCode, DamagedObjectIsRefusedAndNotReadPastItsEnd) {
  const auto built = build(shade_slice().make());
  ASSERT_TRUE(built) << built.error().message;
  const std::string& whole = built->artifact->blob;
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    const std::string part(whole, 0, size);  // of its own, so that a sanitizer sees a read past it
    EXPECT_FALSE(read_code(part)) << size;
  }
  for (std::size_t at = 0; at < whole.size(); at += 3) {
    std::string changed = whole;
    changed[at] = static_cast<char>(~changed[at]);
    static_cast<void>(read_code(changed));
  }
}

}  // namespace
}  // namespace cudahot::build
