// The last stage of the architecture cpu-x86-64: from a slice to an ELF shared object that the CPU device loads.
// Knows nothing of the device but lib/cpu_device/module_abi.h.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/base/kernel_facts.hpp"
#include "lib/cpu_device/code/cpu_compiler.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::cpu_device {

struct CpuCompileOptions {
  // Headers by name and text that slices may include: the standard ones, in the parts that device code uses. Looked for
  // before those of the prelude. No header of the system is read.
  std::vector<std::pair<std::string, std::string>> headers;
  std::vector<std::filesystem::path> include_folders;  // of the toolkit; searched last
  std::function<bool()> cancelled;                     // polled while a compiler runs; true ends it
};

struct CpuObject {
  std::string blob;                                                // the ELF file
  std::vector<std::pair<std::string, std::string>> lowered_names;  // kernel's qualified name -> name in the table
  std::vector<base::KernelFacts> kernels;                          // no registers, and the stack is the fiber's
  std::vector<Diagnostic> warnings;
};

// The same slice, compiler and options give the same bytes. Errors: source, with diagnostics in the user's files (also
// for what the CPU device does not have); link, naming what is used and defined nowhere; environment;
// busy when it was cancelled.
Result<CpuObject> compile_for_cpu(const region::Slice& slice, const CpuCompiler& compiler,
                                  const CpuCompileOptions& options = {});

}  // namespace cudahot::cpu_device
