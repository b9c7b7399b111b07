// Functions of the C library in compiled code: most of them would act on the program, as abort does.
#pragma once

#include <string>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::cpu_device {

// One error for each symbol that a linked object took from the C library, but for what kernels have of it: the
// mathematical functions that the prelude declares, and those for memory. `undefined`: what the object itself lacks.
std::vector<Diagnostic> refuse_host_functions(const std::vector<std::string>& undefined, const region::Slice& slice);

}  // namespace cudahot::cpu_device
