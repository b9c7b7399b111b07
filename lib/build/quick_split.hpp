// The two texts of the quick tier: the hot kernels with the helpers only declared, and the helpers.
#pragma once

#include <optional>
#include <string>

#include "lib/region/slice.hpp"

namespace cudahot::build {

struct QuickTexts {
  std::string kernels;  // bodies of helper functions replaced by ';', helper variables made extern
  std::string helpers;  // kernel segments blanked
};

// Both keep every newline of the slice's text, so that messages name the right lines. nullopt when there is nothing
// to split off, or a helper that cannot be turned into a declaration by its text alone: such a slice is compiled whole.
std::optional<QuickTexts> split_for_quick_tier(const region::Slice& slice);

}  // namespace cudahot::build
