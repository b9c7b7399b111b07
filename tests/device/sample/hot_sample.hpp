// A copy of the sample's sources in a folder of its own, extracted for the tested device by the built
// cudahot-extract: what the tests run and edit.
#pragma once

#include <filesystem>

#include "cudahot/cudahot.hpp"
#include "lib/base/files.hpp"
#include "lib/cuda/driver.hpp"

namespace cudahot::testing_sample {

class HotSample {
 public:
  // Errors: what cudahot-extract said, among others.
  static Result<HotSample> create(const cuda::DriverTable& driver);

  const std::filesystem::path& folder() const { return folder_.path(); }
  std::filesystem::path source() const { return folder() / "update_surface.cu"; }
  std::filesystem::path header() const { return folder() / "colors.cuh"; }
  std::filesystem::path bundle() const { return folder() / "update_surface.cudahot"; }
  std::filesystem::path cache() const { return folder() / "cache.db"; }
  RuntimeOptions runtime_options(Mode mode) const;

 private:
  explicit HotSample(base::TemporaryFolder folder) : folder_(std::move(folder)) {}
  base::TemporaryFolder folder_;
};

}  // namespace cudahot::testing_sample
