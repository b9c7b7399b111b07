// What is asked of functions and kernels alike.
#pragma once

#include <cstddef>

#include "lib/cpu_device/module.hpp"

namespace cudahot::cpu {

CUresult get_attribute(const KernelState& kernel, CUfunction_attribute attribute, int* value);
CUresult set_attribute(KernelState& kernel, CUfunction_attribute attribute, int value);
CUresult get_parameter(const KernelState& kernel, std::size_t index, std::size_t* offset, std::size_t* size);

}  // namespace cudahot::cpu
