#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/extract/test_tu.hpp"

namespace cudahot::extract {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::string_view kHeader = "#include <cuda_device_runtime_api.h>";

constexpr std::string_view kLaunches = R"cu(
__global__ void last(int* p) { *p = 3; }
__global__ void middle(int* p) { last<<<1, 1>>>(p); }
__global__ void unrelated(int* p) { *p = 4; }
template <class T> __global__ void fill(T* p) { *p = T(1); }
__global__ void first(int* p) {
#pragma cudahot begin(a)
  middle<<<1, 1>>>(p);
  fill<<<1, 1>>>(p);
#pragma cudahot end
}
)cu";

TEST(DeviceRuntime, IsRecordedWithItsHeaderWhereAKernelLaunchesOne) {
  const region::Slice slice = TestTu(kLaunches).flags({"-rdc=true"}).slice();
  ASSERT_NE(region::device_runtime(slice), nullptr);
  EXPECT_THAT(region::device_runtime(slice)->path, testing::EndsWith("/libcudadevrt.a"));
  EXPECT_THAT(slice.text, HasSubstr(kHeader));
  EXPECT_TRUE(slice.uses_device_headers);
  EXPECT_EQ(compile_errors(slice), "");
  EXPECT_EQ(quick_tier_errors(slice), "whole");
}

TEST(DeviceRuntime, KernelsThatAreLaunchedInTurnStay) {
  const region::Slice slice = TestTu(kLaunches).flags({"-rdc=true"}).slice();
  for (const char* kernel : {"last", "middle", "fill"})
    EXPECT_THAT(slice.text, HasSubstr(std::string("void ") + kernel));
  EXPECT_THAT(slice.text, Not(HasSubstr("unrelated")));
}

TEST(DeviceRuntime, IsRecordedWhereDeviceCodeCallsTheApi) {
  const region::Slice slice = TestTu(R"cu(__device__ void* room() {
  void* p = nullptr;
  return cudaMalloc(&p, 8) == cudaSuccess ? p : nullptr;
}
__global__ void k(void** p) {
#pragma cudahot begin(a)
  *p = room();
#pragma cudahot end
})cu")
                                  .slice();
  EXPECT_NE(region::device_runtime(slice), nullptr);
  EXPECT_EQ(compile_errors(slice), "");
  EXPECT_EQ(quick_tier_errors(slice), "");
}

TEST(DeviceRuntime, IsNotRecordedForHostCode) {
  const region::Slice slice = TestTu(R"cu(__global__ void k(int* p) {
#pragma cudahot begin(a)
  *p = 1;
#pragma cudahot end
}
int main() {
  int* p;
  cudaMalloc(&p, 4);
  k<<<1, 1>>>(p);
  return cudaGetLastError();
})cu")
                                  .slice();
  EXPECT_EQ(region::device_runtime(slice), nullptr);
  EXPECT_THAT(slice.text, Not(HasSubstr(kHeader)));
}

TEST(DeviceRuntime, IsNotRecordedForCodeThatGoes) {
  const region::Slice slice = TestTu(R"cu(__global__ void other(int* p) { *p = 1; }
__global__ void cold(int* p) { other<<<1, 1>>>(p); }
__global__ void k(int* p) {
#pragma cudahot begin(a)
  *p = 1;
#pragma cudahot end
})cu")
                                  .flags({"-rdc=true"})
                                  .slice();
  EXPECT_EQ(region::device_runtime(slice), nullptr);
}

TEST(DeviceRuntime, InlineFunctionsNeedTheHeaderOnly) {
  const region::Slice slice = TestTu(R"cu(__global__ void k(int* p) {
#pragma cudahot begin(a)
  cudaGridDependencySynchronize();
  *p = 1;
#pragma cudahot end
})cu")
                                  .slice();
  EXPECT_EQ(region::device_runtime(slice), nullptr);
  EXPECT_THAT(slice.text, HasSubstr(kHeader));
  EXPECT_EQ(compile_errors(slice), "");
}

TEST(DeviceRuntime, LaunchWithoutRelocatableCodeIsRefusedWithTheFlag) {
  const ExtractReport report = TestTu(kLaunches).report();
  ASSERT_FALSE(report.diagnostics.empty());
  EXPECT_FALSE(report.slice);
  EXPECT_EQ(report.diagnostics[0].text, "a kernel launch in device code needs relocatable device code");
  EXPECT_EQ(report.diagnostics[0].location.line, 3u);
  EXPECT_THAT(report.diagnostics[0].hint, HasSubstr("-rdc=true"));
}

TEST(DeviceRuntime, ToolkitWithoutItIsNamed) {
  const auto report = TestTu(kLaunches).flags({"-rdc=true"}).without_device_runtime().result();
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, ErrorCode::environment);
  EXPECT_THAT(report.error().message, HasSubstr("lacks its library, libcudadevrt.a"));
}

}  // namespace
}  // namespace cudahot::extract
