// Every function of cudahot/device.cuh on the GPU against the host build of the same text.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "host_results.hpp"
#include "lib/cuda/nvrtc.hpp"
#include "lib/cuda/toolkit.hpp"
#include "surface.hpp"
#include "tests/support/checkout.hpp"
#include "tests/unit/kernels/evaluation_source.hpp"

namespace cudahot::kernels {
namespace {

constexpr unsigned kIndexes = 4096;

// Results agree within this times the larger of 1 and their size: the device contracts
// multiplications and additions, and its functions (sinf, powf, cbrtf...) are within a few units in
// the last place of the host's (CUDA C++ Programming Guide, "Standard Functions"); noise and
// elastic easing multiply such differences by up to 100.
constexpr double kTolerance = 5e-5;

std::string compile_for_gpu_0() {
  int major = 0, minor = 0;
  EXPECT_EQ(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), cudaSuccess);
  const auto toolkit = cuda::find_toolkit();
  if (!toolkit) return ADD_FAILURE() << toolkit.error().message, "";
  const auto nvrtc = cuda::Nvrtc::load(*toolkit);
  if (!nvrtc) return ADD_FAILURE() << nvrtc.error().message, "";
  cuda::NvrtcRequest request;
  const auto source = evaluation_source(testing::checkout() / "tests/unit/kernels/evaluate_all.cuh", most_results());
  if (!source) return ADD_FAILURE() << source.error().message, "";
  request.source = *source;
  request.name = "evaluate.cu";
  request.options = {fmt::format("-arch=sm_{}{}", major, minor), "-default-device"};
  auto compiled = (*nvrtc)->compile(request);
  if (!compiled) return ADD_FAILURE() << compiled.error().message, "";
  return std::move(compiled->blob);
}

std::vector<float> run_on_gpu(const std::string& cubin) {
  const std::size_t count = std::size_t{kIndexes} * static_cast<std::size_t>(most_results());
  std::vector<float> results(count);
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  float* on_device = nullptr;
  EXPECT_EQ(cudaLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0), cudaSuccess);
  EXPECT_EQ(cudaLibraryGetKernel(&kernel, library, "evaluate"), cudaSuccess);
  EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&on_device), count * sizeof(float)), cudaSuccess);
  void* arguments[] = {&on_device};
  EXPECT_EQ(
      cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(kIndexes / 64), dim3(64), arguments, 0, nullptr),
      cudaSuccess);
  EXPECT_EQ(cudaMemcpy(results.data(), on_device, count * sizeof(float), cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(cudaFree(on_device), cudaSuccess);
  EXPECT_EQ(cudaLibraryUnload(library), cudaSuccess);
  return results;
}

TEST(DeviceFunctions, AgreeWithTheHostBuild) {
  if (const auto usable = sample::use_gpu(); !usable) GTEST_SKIP() << usable.error().message;
  const std::string cubin = compile_for_gpu_0();
  ASSERT_FALSE(cubin.empty());
  const std::vector<float> results = run_on_gpu(cubin);
  ASSERT_FALSE(HasFailure());
  const auto stride = static_cast<std::size_t>(most_results());
  for (unsigned index = 0; index < kIndexes; ++index) {
    const std::vector<float> expected = host_results(index);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double tolerance = kTolerance * std::max(1.0, std::abs(static_cast<double>(expected[i])));
      ASSERT_NEAR(results[index * stride + i], expected[i], tolerance) << "index " << index << ", result " << i;
    }
  }
}

}  // namespace
}  // namespace cudahot::kernels
