// Code for the CPU device: built by Clang, and read where a CUBIN is read.
#pragma once

#include <string_view>

#include "cudahot/result.hpp"
#include "lib/build/compile.hpp"
#include "lib/cuda/cubin.hpp"

namespace cudahot::build {

// Clang and linker at once, with the helper library where it is used. Errors: source, link, with diagnostics in the
// user's files; environment.
Result<CompiledProgram> compile_for_cpu_device(const region::Slice& slice, Toolchain& toolchain);

// What read_cubin() says, of a CUBIN or of an object for the CPU device. An object has no symbols but its kernels and
// variables, and its managed variables count as global ones. Never reads outside `bytes`. Errors: damaged.
Result<cuda::CubinInfo> read_code(std::string_view bytes);

}  // namespace cudahot::build
