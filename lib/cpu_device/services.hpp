// What running code may call.
#pragma once

#include <cstdint>

#include "lib/cpu_device/module_abi.h"

namespace cudahot::cpu {

const CudahotCpuServices& services();

// printf of a kernel: to standard output, a call at a time. Returns the number of arguments, as
// CUDA's does, or -1 when the format has more conversions than there are arguments.
int print(const char* format, const std::uint64_t* arguments, std::uint32_t count);

}  // namespace cudahot::cpu
