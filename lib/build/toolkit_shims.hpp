// Headers of the toolkit that NVRTC takes only in another form.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lib/cuda/toolkit.hpp"

namespace cudahot::build {

// Name as included -> text, of the headers that the toolkit has:
// - those that declare uint64_t for themselves under NVRTC, as another type than nvcc has: with <cstdint> instead;
// - <cub/cub.cuh>, whose functions for the host NVRTC refuses: what CUB has for blocks, warps and threads.
std::vector<std::pair<std::string, std::string>> toolkit_shims(const cuda::Toolkit& toolkit);

}  // namespace cudahot::build
