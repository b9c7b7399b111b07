// Slices of one source and several architectures. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "cache/store.hpp"

namespace cudahot::tool {

// What two slices of one source differ in beside their architectures; empty: nothing.
std::string difference(const cache::Store::StoredSlice& a, const cache::Store::StoredSlice& b);

// Of both architectures, in order. For slices without such a difference.
cache::Store::StoredSlice unite(const cache::Store::StoredSlice& a, const cache::Store::StoredSlice& b);

// The slice for those of its architectures that are in `kept`.
cache::Store::StoredSlice restrict(const cache::Store::StoredSlice& slice, const std::vector<region::SmArch>& kept);

}  // namespace cudahot::tool
