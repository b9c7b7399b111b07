// The sources of the device helper library as text, for those that compile it and for those that
// compile code which includes it. Knows nothing of compilers.
#pragma once

#include <span>
#include <string_view>

namespace cudahot::kernels {

struct SourceFile {
  std::string_view name;  // as included: "cudahot/device.cuh"
  std::string_view text;
};

// The library in one self-contained text: no includes are left in it. Compiled by NVRTC with
// `-rdc=true -default-device` it gives a relocatable CUBIN, with `-dlto` LTO-IR, in which every
// function that cudahot/device.cuh declares is a global symbol.
const SourceFile& helper_library_source();

// The headers as users include them; cudahot/device.cuh comes first and needs no other one when
// __CUDAHOT__ is defined.
std::span<const SourceFile> headers();

}  // namespace cudahot::kernels
