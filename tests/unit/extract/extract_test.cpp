#include "lib/extract/extract.hpp"

#include <filesystem>

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.hpp"
#include "lib/region/manifest.hpp"
#include "test_tu.hpp"

namespace cudahot::extract {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::string_view kUpdateSurface = R"(#include <cuda_runtime.h>
#include <cstdio>

// The picture of the sample.
__global__ void UpdateSurface(cudaSurfaceObject_t surf, unsigned width, unsigned height, float time) {
  unsigned x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float4 pixel;
#pragma cudahot begin(shade)
  float wave = __cosf(time) * 0.5f + float(x) / width;  // edit me
  pixel = make_float4(wave, 0.1f, 0.2f, 1);
#pragma cudahot end
  surf2Dwrite(pixel, surf, x * 16, y);
}

int main() {
  std::printf("host\n");
  UpdateSurface<<<1, 1>>>(0, 10, 10, 0.0f);
  return 0;
}
)";

TEST(Extract, MakesTheSameSliceHoweverTheToolkitIsSpelledAndLaidOut) {
  namespace fs = std::filesystem;
  const fs::path real = fs::canonical(CUDAHOT_TEST_TOOLKIT);
  const auto folder = base::TemporaryFolder::create("cudahot-toolkit").value();
  const auto link = [&](const fs::path& to, const std::string& name) {
    fs::create_directories((folder.path() / name).parent_path());
    fs::create_directory_symlink(fs::canonical(to), folder.path() / name);
  };
  link(real, "whole");
  link(real / "include", "parts/include");
  link(real / "lib64", "parts/lib64");
  link(real / "include", "target/targets/x86_64-linux/include");
  link(real / "lib64", "target/lib");
  fs::create_directories(folder.path() / "target/include");  // of other packages
  const std::string source = "#include <cuda_fp16.h>\n#include <cooperative_groups.h>\n" + std::string(kUpdateSurface);
  TestTu tu(source);
  const region::Slice plain = tu.toolkit(real).slice();
  EXPECT_TRUE(plain.uses_device_headers);
  for (const char* name : {"whole", "whole/bin/..", "parts", "target"}) {
    EXPECT_EQ(region::to_manifest(tu.toolkit(folder.path() / name).slice()), region::to_manifest(plain)) << name;
  }
}

TEST(Extract, MakesASliceOfUpdateSurface) {
  TestTu tu(kUpdateSurface);
  const region::Slice slice = tu.slice();
  ASSERT_EQ(slice.kernels.size(), 1u);
  const region::Kernel& kernel = slice.kernels[0];
  EXPECT_EQ(kernel.name, "UpdateSurface");
  EXPECT_EQ(kernel.name_expression, "UpdateSurface");
  EXPECT_EQ(kernel.mangled_name, "_Z13UpdateSurfaceyjjf");
  EXPECT_EQ(kernel.line, 5u);
  EXPECT_THAT(kernel.regions, ElementsAre("shade"));
  EXPECT_THAT(kernel.parameters,
              ElementsAre(region::KernelParameter{"surf", "cudaSurfaceObject_t", 8, 0, "unsigned long long"},
                          region::KernelParameter{"width", "unsigned int", 4, 8, "unsigned int"},
                          region::KernelParameter{"height", "unsigned int", 4, 12, "unsigned int"},
                          region::KernelParameter{"time", "float", 4, 16, "float"}));
  EXPECT_EQ(region_named(slice, "shade").first_line, 10u);
  EXPECT_EQ(body_text(slice, "shade"),
            "  float wave = __cosf(time) * 0.5f + float(x) / width;  // edit me\n"
            "  pixel = make_float4(wave, 0.1f, 0.2f, 1);\n");
  EXPECT_EQ(slice.files[0].path, tu.path("shade.cu"));
  EXPECT_EQ(slice.files[0].virtual_name, "0/shade.cu");
  EXPECT_FALSE(slice.uses_device_headers);
  EXPECT_EQ(compile_errors(slice), "") << slice.text;
  EXPECT_THAT(slice.text, testing::Not(HasSubstr("main")));
}

TEST(Extract, JoinsALineWithTheNextWhereWhiteSpaceIsBehindTheBackslash) {
  TestTu tu(
      "__global__ void k(float* p) {\n#pragma cudahot begin(a)\n  *p = 1;  // in C:\\ \n  *p = 2;\n#pragma cudahot "
      "end\n}\n");
  EXPECT_EQ(body_text(tu.slice(), "a"), "  *p = 1;  // in C:\\\n  *p = 2;\n") << "to gcc *p = 2 is a comment";
}

TEST(Extract, TakesCodeNestedAsDeepAsClangAllows) {
  TestTu tu("__global__ void k(float* p) {\n#pragma cudahot begin(a)\n*p = " + std::string(2000, '(') + "1" +
            std::string(2000, ')') + ";\n#pragma cudahot end\n}\n");
  EXPECT_EQ(tu.slice().regions.size(), 1u);
}

TEST(Extract, DoesNotWaitForTheWriterOfAnIncludedFifo) {
  TestTu tu(
      "#include \"pipe.cuh\"\n__global__ void k(float* p) {\n#pragma cudahot begin(a)\n*p = 1;\n#pragma cudahot "
      "end\n}\n");
  ASSERT_EQ(::mkfifo(tu.path("pipe.cuh").c_str(), 0600), 0);
  const ExtractReport report = tu.report();
  EXPECT_FALSE(report.slice);
  ASSERT_FALSE(report.diagnostics.empty());
  EXPECT_THAT(report.diagnostics[0].text, HasSubstr("pipe.cuh"));
}

}  // namespace
}  // namespace cudahot::extract
