// What the CPU device does not have, found by name before a slice is compiled for it.
#pragma once

#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::cpu_device {

// Of every refusal; in the table of lib/extract/refusals.hpp.
inline constexpr std::string_view kUnsupportedId = "CH025";

struct Unsupported {
  // One error a feature, at its first use, in order of appearance: inline PTX, clusters, dynamic parallelism, tensor
  // core operations, other surfaces and textures than 2D, and headers that are made of these.
  std::vector<Diagnostic> refusals;
  // Bodies of functions with such features that no kernel reaches.
  std::vector<region::TextRange> unused;
};

Unsupported find_unsupported(const region::Slice& slice);

}  // namespace cudahot::cpu_device
