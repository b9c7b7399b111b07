// Suppliers of a runtime, as of bundles that hold slices and no code.
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "lib/runtime/suppliers.hpp"

namespace cudahot::test_support {

struct BundledSlice {
  region::Slice slice;
  std::size_t bundle = 0;
};

inline void supply(runtime::Suppliers& suppliers, std::vector<BundledSlice> bundled) {
  std::vector<cache::Store::ShippedSlice> all;
  for (const auto& [slice, bundle] : bundled) all.push_back({region::head_of(slice), {}, {}, {}, bundle});
  suppliers.slices = [all] { return all; };
  suppliers.slice = [bundled](const cache::Store::ShippedSlice& shipped) -> Result<region::Slice> {
    return std::ranges::find(bundled, shipped.head,
                             [](const BundledSlice& each) { return region::head_of(each.slice); })
        ->slice;
  };
  suppliers.find_shipped = [](const cache::Store::ShippedSlice&, const region::SmArch&, region::Tier) {
    return std::optional<build::BuiltCubin>();
  };
}

}  // namespace cudahot::test_support
