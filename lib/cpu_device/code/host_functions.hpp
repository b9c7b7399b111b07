// Functions of the C library in compiled code: most of them would act on the program, as abort does.
#pragma once

#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::cpu_device {

// One error for each symbol that an object leaves undefined and that is no C++ function, but for what kernels have of
// the C library: the mathematical functions that the prelude declares, and those for memory.
std::vector<Diagnostic> refuse_host_functions(const std::vector<std::string>& undefined, const region::Slice& slice);

}  // namespace cudahot::cpu_device
