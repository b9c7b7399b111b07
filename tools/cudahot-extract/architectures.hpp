// Architectures of a run: named, or those of this machine or of the toolkit.
#pragma once

#include <vector>

#include "cudahot/result.hpp"
#include "lib/cuda/nvrtc.hpp"
#include "lib/extract/flags.hpp"
#include "lib/region/sm_arch.hpp"

namespace cudahot::extract_tool {

// Where nobody names one: the seven that today's GPUs need, as far as the toolkit knows them (all without one).
std::vector<region::SmArch> default_architectures(const cuda::Nvrtc* nvrtc);

// The named ones, then what "native", "all" and "all-major" stand for, each once. Errors: environment ("native", and no
// driver or GPU is here).
Result<std::vector<region::SmArch>> resolve_architectures(const extract::WantedArchitectures& wanted,
                                                          const cuda::Nvrtc& nvrtc);

// Errors: usage, with the list of those that NVRTC knows.
Status check_architectures(const std::vector<region::SmArch>& architectures, const cuda::Nvrtc& nvrtc);

}  // namespace cudahot::extract_tool
