// Suppliers: where the runtime gets its driver, slices and CUBINs from. The seam that tests use.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/store.hpp"
#include "cudahot/cudahot.hpp"
#include "cudahot/result.hpp"
#include "lib/build/builder.hpp"
#include "lib/cuda/cubin.hpp"
#include "lib/cuda/driver.hpp"
#include "lib/region/slice.hpp"
#include "lib/region/tier.hpp"

namespace cudahot::runtime {

struct ExtractOutcome {
  Result<region::Slice> slice;
  // Every file read, absolute, and where headers were looked for; also when it failed, if known.
  std::vector<std::string> dependencies;
  std::vector<region::Lookup> lookups{};
};

struct Suppliers {
  std::function<Result<std::shared_ptr<const cuda::DriverTable>>()> driver;
  std::function<std::vector<cache::Store::ShippedSlice>()> slices;
  std::function<Result<region::Slice>(const cache::Store::ShippedSlice& shipped)> slice;  // one of them in full
  std::string bundles;  // where slices come from, for messages

  // As build::Builder::find_shipped.
  std::function<std::optional<build::BuiltCubin>(const cache::Store::ShippedSlice& shipped, const region::SmArch& arch,
                                                 region::Tier tier)>
      find_shipped;

  // As build::Builder::find_or_build.
  std::function<Result<build::BuiltCubin>(const region::Slice& slice, const region::SmArch& arch, region::Tier tier,
                                          const base::ToolkitIdentity* built_with)>
      find_or_build;

  // Makes a slice again from its main file. `cancelled` is polled while it runs; a cancelled
  // extraction fails with code busy.
  std::function<ExtractOutcome(const region::Slice& slice, const std::function<bool()>& cancelled)> extract;

  std::function<Result<cuda::CubinInfo>(std::string_view cubin)> read_cubin;
};

// How cudahot-extract is run; what is not set is found.
struct ExtractorSettings {
  std::optional<std::filesystem::path> program;
  std::optional<std::filesystem::path> toolkit;
};

// The real ones: libcuda or the CPU device, bundles and cache through `builder`, cudahot-extract.
// Loads and opens nothing before it is needed.
Suppliers make_suppliers(std::shared_ptr<build::Builder> builder, std::string bundles, ExtractorSettings extractor,
                         Device device = Device::gpu);

}  // namespace cudahot::runtime
