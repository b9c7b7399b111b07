#include "lib/runtime/suppliers.hpp"

#include <utility>

#include "lib/build/cpu_code.hpp"
#include "lib/runtime/extractor.hpp"

namespace cudahot::runtime {

Suppliers make_suppliers(std::shared_ptr<build::Builder> builder, std::string bundles, ExtractorSettings extractor,
                         Device device) {
  Suppliers suppliers;
  suppliers.driver = [device] { return device == Device::cpu ? cuda::load_cpu_device() : cuda::load_driver(); };
  suppliers.slices = [builder] { return builder->layers().slices(); };
  suppliers.slice = [builder](const cache::Store::ShippedSlice& shipped) { return builder->layers().slice(shipped); };
  suppliers.find_shipped = [builder](const cache::Store::ShippedSlice& shipped, const region::SmArch& arch,
                                     region::Tier tier) { return builder->find_shipped(shipped, arch, tier); };
  suppliers.bundles = std::move(bundles);
  suppliers.find_or_build = [builder](const region::Slice& slice, const region::SmArch& arch, region::Tier tier,
                                      const base::ToolkitIdentity* built_with) {
    return builder->find_or_build(slice, arch, tier, built_with);
  };
  suppliers.extract = [extractor = std::move(extractor)](const region::Slice& slice,
                                                         const std::function<bool()>& cancelled) {
    return run_extractor(extractor, slice, cancelled);
  };
  suppliers.read_cubin = [](std::string_view cubin) { return build::read_code(cubin); };
  return suppliers;
}

}  // namespace cudahot::runtime
