// What the CPU device does not have, found by name before a slice is compiled for it.
#pragma once

#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::cpu_device {

// One error a feature, at its first use, in order of appearance: inline PTX, clusters, dynamic parallelism, tensor core
// operations, other surfaces and textures than 2D, and headers that are made of these.
std::vector<Diagnostic> find_unsupported(const region::Slice& slice);

}  // namespace cudahot::cpu_device
