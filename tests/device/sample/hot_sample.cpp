#include "hot_sample.hpp"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "tests/support/checkout.hpp"
#include "tests/support/test_device.hpp"

namespace cudahot::testing_sample {
using cudahot::test_support::built_programs;
using cudahot::test_support::run_built;

Result<HotSample> HotSample::create(const cuda::DriverTable& driver) {
  auto folder = base::TemporaryFolder::create("cudahot-sample");
  if (!folder) return fail(std::move(folder.error()));
  HotSample sample(std::move(*folder));
  for (const auto& copy : {sample.source(), sample.header()}) {
    std::error_code error;
    std::filesystem::copy_file(cudahot::test_support::checkout() / "examples/update_surface" / copy.filename(), copy,
                               error);
    if (error) return fail(ErrorCode::environment, fmt::format("cannot copy {}: {}", copy.string(), error.message()));
  }
  const auto extracted =
      run_built("cudahot-extract", {"--arch", cudahot::test_support::architecture_of(driver), "--bundle",
                                    sample.bundle().string(), sample.source().string(), "--",
                                    "-I" + (cudahot::test_support::checkout() / "kernels/include").string()});
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
