// Options for NVRTC and nvJitLink: ours, and those of the user's flags.
#pragma once

#include <string>
#include <vector>

#include "lib/build/compile.hpp"
#include "lib/cuda/toolkit.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::build {

// In order: architecture, what is fixed, include folders (only where the slice includes headers of the toolkit), the
// user's. Options of the user's that choose the form of the output are left out: that is ours to choose.
std::vector<std::string> compile_options(const region::Slice& slice, const region::SmArch& arch,
                                         CompiledProgram::Form form, const cuda::Toolkit& toolkit);

// For a link of `form`. An LTO link generates the code, so what the user asked of code generation is said again.
std::vector<std::string> link_options(const region::Slice& slice, const region::SmArch& arch,
                                      CompiledProgram::Form form);

}  // namespace cudahot::build
