// The stages from slice to CUBIN, as types: none can be skipped.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cache/layers.hpp"
#include "cudahot/result.hpp"
#include "lib/base/kernel_facts.hpp"
#include "lib/build/toolchain.hpp"
#include "lib/cuda/cubin.hpp"
#include "lib/region/slice.hpp"
#include "lib/region/tier.hpp"

namespace cudahot::build {

// What NVRTC made of a slice: a CUBIN that needs no link, a relocatable CUBIN, or LTO-IR. Or what
// Clang made of it for the CPU device, linked already: there it stands for the CUBIN everywhere.
struct CompiledProgram {
  enum class Form { cubin, relocatable_cubin, ltoir, cpu_object };

  Form form = Form::cubin;
  std::string blob;
  std::string helpers_blob;  // quick tier: the slice's own helpers as relocatable CUBIN; may be empty
  std::vector<std::pair<std::string, std::string>> lowered_names;  // kernel's qualified name -> symbol
  std::vector<Diagnostic> warnings;
};

// A linked CUBIN in which every kernel of the slice was found.
struct Cubin {
  std::string blob;
  cuda::CubinInfo info;
  std::vector<std::pair<std::string, std::string>> lowered_names;
  std::vector<Diagnostic> warnings;
};

// Errors: source with mapped diagnostics; environment; for the CPU device also link.
Result<CompiledProgram> compile(const region::Slice& slice, const region::SmArch& arch, region::Tier tier,
                                Toolchain& toolchain);

// Links with the helper library where needed, checks symbols before (duplicates) and the kernels
// after. Errors: link, naming the symbol; environment.
Result<Cubin> link(const region::Slice& slice, const region::SmArch& arch, CompiledProgram program,
                   Toolchain& toolchain, cache::Layers& layers);

}  // namespace cudahot::build
