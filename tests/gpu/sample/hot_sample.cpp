#include "hot_sample.hpp"

#include <cstdlib>
#include <system_error>
#include <utility>

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "tests/support/checkout.hpp"

namespace cudahot::testing_sample {
namespace {

std::filesystem::path built_programs() {
  const char* folder = std::getenv("CUDAHOT_TEST_BIN");
  return folder != nullptr ? folder : "build/bin";
}

std::string architecture_of_gpu_0() {
  int major = 0, minor = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0);
  return fmt::format("{}{}", major, minor);
}

}  // namespace

Result<base::ProcessOutcome> run_built(const std::string& program, std::vector<std::string> arguments,
                                       std::vector<std::string> environment) {
  base::ProcessRequest request;
  request.arguments = {(built_programs() / program).string()};
  for (std::string& argument : arguments) request.arguments.push_back(std::move(argument));
  request.extra_environment = std::move(environment);
  return base::run_process(request);
}

Result<HotSample> HotSample::create() {
  auto folder = base::TemporaryFolder::create("cudahot-sample");
  if (!folder) return fail(std::move(folder.error()));
  HotSample sample(std::move(*folder));
  for (const auto& copy : {sample.source(), sample.header()}) {
    std::error_code error;
    std::filesystem::copy_file(cudahot::testing::checkout() / "examples/update_surface" / copy.filename(), copy, error);
    if (error) return fail(ErrorCode::environment, fmt::format("cannot copy {}: {}", copy.string(), error.message()));
  }
  const auto extracted =
      run_built("cudahot-extract",
                {"--arch", architecture_of_gpu_0(), "--bundle", sample.bundle().string(), sample.source().string(),
                 "--", "-I" + (cudahot::testing::checkout() / "kernels/include").string()});
  if (!extracted) return fail(extracted.error());
  if (extracted->exit_code != 0) return fail(ErrorCode::source, "cudahot-extract: " + extracted->err);
  return sample;
}

RuntimeOptions HotSample::runtime_options(Mode mode) const {
  RuntimeOptions options;
  options.bundles = {bundle()};
  options.user_cache = cache();
  options.mode = mode;
  options.extractor = built_programs() / "cudahot-extract";
  return options;
}

}  // namespace cudahot::testing_sample
