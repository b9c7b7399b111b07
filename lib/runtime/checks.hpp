// Checks: whether new code fits the launch side. Pure functions over records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cudahot/cudahot.hpp"
#include "cudahot/result.hpp"
#include "lib/base/kernel_facts.hpp"
#include "lib/cuda/cubin.hpp"
#include "lib/region/slice.hpp"
#include "lib/runtime/context.hpp"
#include "lib/runtime/slot.hpp"

namespace cudahot::runtime {

// The parameter block that C++ lays out for these types.
std::vector<base::ParameterFacts> parameter_block(const std::vector<detail::ParameterLayout>& layout);

// Count, sizes and offsets of the kernel's parameters against what the program passes.
// Errors: mismatch, naming position, name and both sizes.
Status check_parameters(const region::Kernel& kernel, const base::KernelFacts& facts,
                        const std::vector<detail::ParameterLayout>& passed);

// What the kernel's parameters mean against what they meant to the program, which was built with `built`: bytes of the
// same size may be read as something else. Pointers are not told apart. Errors: mismatch, with both types.
Status check_parameter_types(const region::Kernel& kernel, const region::Kernel& built);

// Shared memory, registers and threads against the largest launch seen and the device.
// Errors: mismatch, with the numbers.
Status check_resources(const std::string& kernel, const base::KernelFacts& facts, const detail::LaunchShape& seen,
                       const DeviceFacts& device);

// Device variables start anew with every generation, so code that has any can run as
// generation 0 only. Those of CUDA's own headers do not count. Errors: mismatch, naming them with
// their sizes.
Status check_state(const std::vector<cuda::DeviceVariable>& variables, const std::string& source);

}  // namespace cudahot::runtime
