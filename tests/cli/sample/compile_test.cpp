// The sample's kernel and the device library as ordinary nvcc input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/base/files.hpp"
#include "lib/base/processes.hpp"

namespace cudahot {
namespace {

class Nvcc : public testing::Test {
 protected:
  void SetUp() override {
    const char* toolkit = std::getenv("CUDAHOT_TOOLKIT");
    nvcc_ = std::filesystem::path(toolkit != nullptr ? toolkit : "/usr/local/cuda") / "bin/nvcc";
    if (!std::filesystem::exists(nvcc_)) GTEST_SKIP() << "no nvcc at " << nvcc_;
  }

  // Compiles to a CUBIN; warnings are errors. Returns what nvcc wrote; "" when it had nothing to say.
  std::string compile(const std::filesystem::path& source, const std::vector<std::string>& flags) {
    const auto folder = base::TemporaryFolder::create("sample-nvcc");
    if (!folder) return folder.error().message;
    base::ProcessRequest request;
    request.arguments = {nvcc_.string(), "-Werror", "all-warnings",  "-Xcompiler", "-Wall,-Wextra",
                         "-arch=sm_75",  "-c",      source.string(), "-o",         (folder->path() / "out.o").string()};
    request.arguments.insert(request.arguments.end(), flags.begin(), flags.end());
    const auto outcome = base::run_process(request);
    if (!outcome) return outcome.error().message;
    if (outcome->exit_code != 0) return "exit code " + std::to_string(outcome->exit_code) + ": " + outcome->err;
    return outcome->out + outcome->err;
  }

  std::filesystem::path nvcc_;
};

TEST_F(Nvcc, TakesTheSampleWithoutAWarning) {
  EXPECT_EQ(compile(CUDAHOT_SAMPLE_SOURCES "/update_surface.cu", {"-diag-suppress=20199"}), "");
}

TEST_F(Nvcc, TakesTheDeviceLibraryInlineWithoutAWarning) {
  const auto folder = base::TemporaryFolder::create("sample-nvcc");
  ASSERT_TRUE(folder) << folder.error().message;
  const auto source = folder->path() / "user.cu";
  ASSERT_TRUE(base::write_file_atomically(source, R"(
#include <cudahot/device.cuh>
__global__ void user(float* out) {
  using namespace cudahot::device;
  const float3 p = make_float3(out[0], out[1], out[2]);
  out[0] = simplex_fbm(p, Octaves{3}) + rotate(p, quaternion(make_float3(0, 0, 1), out[3])).x + hsv_to_rgb(p).y;
}
)"));
  EXPECT_EQ(compile(source, {"-I" CUDAHOT_DEVICE_INCLUDE}), "");
}

}  // namespace
}  // namespace cudahot
