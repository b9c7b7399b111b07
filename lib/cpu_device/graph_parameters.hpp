// Parameters of kernel nodes, for graphs and what is instantiated from them.
#pragma once

#include "lib/cpu_device/work.hpp"

namespace cudahot::cpu {

CUresult kernel_work_of(const Context& context, const CUDA_KERNEL_NODE_PARAMS& parameters, KernelWork& work);

}  // namespace cudahot::cpu
