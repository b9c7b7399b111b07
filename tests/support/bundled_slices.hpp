// Suppliers of a runtime, as of bundles that hold slices and no code.
#pragma once

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
  for (const auto& [slice, bundle] : bundled) {
    cache::Store::ShippedSlice shipped;
    shipped.head = region::head_of(slice);
    shipped.row = static_cast<std::int64_t>(all.size());
    shipped.bundle = bundle;
    all.push_back(std::move(shipped));
  }
  suppliers.slices = [all] { return all; };
  suppliers.slice = [bundled](const cache::Store::ShippedSlice& shipped) -> Result<region::Slice> {
    return bundled.at(static_cast<std::size_t>(shipped.row)).slice;
  };
  suppliers.find_shipped = [](const cache::Store::ShippedSlice&, const region::SmArch&, region::Tier) {
    return std::optional<build::BuiltCubin>();
  };
}

}  // namespace cudahot::test_support
