// What a run needs beside its command line: toolkit, architectures that it can compile for, Clang's headers.
#pragma once

#include <filesystem>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/build/toolchain.hpp"
#include "lib/region/sm_arch.hpp"

namespace cudahot::extract_tool {

// `explicit_folder`, else ../lib/cudahot/clang beside the program, else where the build found it.
// Errors: environment, naming every place that was looked at.
Result<std::filesystem::path> find_resource_dir(const std::optional<std::filesystem::path>& explicit_folder);

// The architectures of bundles when nothing names any, as far as `nvrtc` knows them; all of them for nullptr.
std::vector<region::SmArch> default_architectures(const cuda::Nvrtc* nvrtc);

// That of the CPU device is no matter of NVRTC. Errors: usage, listing what `nvrtc` takes.
Status check_architectures(const std::vector<region::SmArch>& architectures, const cuda::Nvrtc& nvrtc);

}  // namespace cudahot::extract_tool
