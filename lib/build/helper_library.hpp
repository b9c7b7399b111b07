// The fixed helper library of kernels/, as relocatable CUBIN and LTO-IR.
#pragma once

#include <memory>

#include "cache/layers.hpp"
#include "cudahot/result.hpp"
#include "lib/base/digest.hpp"
#include "lib/build/toolchain.hpp"

namespace cudahot::build {

// Digest of the library's sources and compile options: with architecture and toolkit identity it
// decides the library's bytes (NVRTC is deterministic), so it stands for them in every key.
base::Digest helper_library_digest();

enum class HelperForm { cubin, ltoir };

struct HelperLibrary {
  cache::CacheKey key;
  std::shared_ptr<const cache::Artifact> artifact;
};

// From the layers, else compiled and inserted. Errors: as compile.
Result<HelperLibrary> helper_library(HelperForm form, const region::SmArch& arch, Toolchain& toolchain,
                                     cache::Layers& layers);

}  // namespace cudahot::build
