// Differences between the preimages of two keys, for people. Pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cache/preimage.hpp"
#include "cache/store.hpp"

namespace cudahot::cache {

struct Difference {
  MissReason reason = MissReason::text;
  std::string what;       // one line: "shade.cuh:12: 'gain = 3' was 'gain = 2'; shade.cuh:20: 'clip();' is new"
  std::size_t lines = 0;  // of a text: how many of them

  friend bool operator==(const Difference&, const Difference&) = default;
};

// What is different in `now` from `then`, in the order of MissReason; empty when they are the same. Lines of the text
// are named as the compiler names them, by the text's own #line directives.
std::vector<Difference> differences(const std::vector<Field>& now, const std::vector<Field>& then);

// The index of the preimage with the fewest differences from `now`, among equals with the fewest different lines, so
// that one of the same text comes before one of another, then the first; nullopt when there is none.
std::optional<std::size_t> nearest(const std::vector<Field>& now, const std::vector<std::vector<Field>>& candidates);

}  // namespace cudahot::cache
