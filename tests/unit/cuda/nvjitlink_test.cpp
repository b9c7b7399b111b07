#include "lib/cuda/nvjitlink.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/cuda/cubin.hpp"
#include "tests/unit/cuda/compiled.hpp"

namespace cudahot::cuda {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kKernel =
    "extern __device__ float twice(float); extern \"C\" __global__ void k(float* p) { p[0] = twice(p[1]); }";
constexpr std::string_view kHelper = "__device__ float twice(float x) { return 2 * x; }";

std::string blob_of(std::string_view source, LinkInputKind kind) {
  const bool lto = kind == LinkInputKind::ltoir;
  return testing::compile(source, {"-arch=sm_90", lto ? "-dlto" : "-rdc=true", "-default-device"},
                          lto ? NvrtcOutput::ltoir : NvrtcOutput::cubin)
      .value()
      .blob;
}

Result<std::string> link(std::string_view a, std::string_view b, LinkInputKind kind) {
  const std::string first = blob_of(a, kind);
  const std::string second = blob_of(b, kind);
  std::vector<std::string> options = {"-arch=sm_90"};
  if (kind == LinkInputKind::ltoir) options.emplace_back("-lto");
  return testing::nvjitlink().link({{kind, first, "kernels"}, {kind, second, "helpers"}}, options);
}

TEST(NvJitLink, LinksRelocatableCubins) {
  const auto blob = link(kKernel, kHelper, LinkInputKind::cubin);
  ASSERT_TRUE(blob) << blob.error().message;
  const auto info = read_cubin(*blob);
  ASSERT_TRUE(info);
  EXPECT_FALSE(info->relocatable);
  ASSERT_EQ(info->kernels.size(), 1u);
  EXPECT_EQ(info->kernels.front().lowered_name, "k");
}

TEST(NvJitLink, LinksLtoIr) {
  const auto blob = link(kKernel, kHelper, LinkInputKind::ltoir);
  ASSERT_TRUE(blob) << blob.error().message;
  EXPECT_EQ(read_cubin(*blob)->kernels.size(), 1u);
}

TEST(NvJitLink, MissingSymbolIsNamedAndTheNextLinkWorks) {
  for (const auto kind : {LinkInputKind::cubin, LinkInputKind::ltoir}) {
    const auto failed = link(kKernel, "__device__ float other(float x) { return x; }", kind);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::link);
    EXPECT_THAT(failed.error().message, HasSubstr("_Z5twicef"));
    EXPECT_TRUE(link(kKernel, kHelper, kind));
  }
}

TEST(NvJitLink, UnknownOptionIsNotTheSourcesFault) {
  const auto blob = testing::nvjitlink().link({}, {"-arch=sm_90", "-nonsense"});
  ASSERT_FALSE(blob);
  EXPECT_EQ(blob.error().code, ErrorCode::environment);
}

TEST(NvJitLink, LibraryOfAnotherMajorVersionIsRefused) {
  Toolkit toolkit = testing::toolkit();
  toolkit.version_major += 1;
  const auto linker = NvJitLink::load(toolkit);
  ASSERT_FALSE(linker);
  EXPECT_THAT(linker.error().message, HasSubstr("use one toolkit for all parts"));
}

}  // namespace
}  // namespace cudahot::cuda
