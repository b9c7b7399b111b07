// Copies and fills, checked against what is allocated.
#pragma once

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/driver_api.hpp"

namespace cudahot::cpu {

// CUDA_ERROR_INVALID_VALUE, with the reason in the log, when a byte lies outside an allocation.
CUresult check_copy(const Context& context, const CUDA_MEMCPY3D& copy);
void run_copy(Context& context, const CUDA_MEMCPY3D& copy);

CUresult check_fill(const CUDA_MEMSET_NODE_PARAMS& fill);
void run_fill(const CUDA_MEMSET_NODE_PARAMS& fill);

// A copy of `bytes` between two places in memory.
CUDA_MEMCPY3D linear_copy(CUmemorytype to_type, std::uintptr_t to, CUmemorytype from_type, std::uintptr_t from,
                          std::size_t bytes);

}  // namespace cudahot::cpu
