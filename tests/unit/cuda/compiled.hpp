// The toolkit's compilers, loaded once for all tests of the program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lib/cuda/nvjitlink.hpp"
#include "lib/cuda/nvrtc.hpp"
#include "lib/cuda/toolkit.hpp"

namespace cudahot::cuda::testing {

inline const Toolkit& toolkit() {
  static const Toolkit found = find_toolkit().value();
  return found;
}

inline const Nvrtc& nvrtc() {
  static const std::shared_ptr<Nvrtc> loaded = Nvrtc::load(toolkit()).value();
  return *loaded;
}

inline const NvJitLink& nvjitlink() {
  static const std::shared_ptr<NvJitLink> loaded = NvJitLink::load(toolkit()).value();
  return *loaded;
}

inline Result<NvrtcResult> compile(std::string_view source, std::vector<std::string> options = {"-arch=sm_90"},
                                   NvrtcOutput output = NvrtcOutput::cubin) {
  NvrtcRequest request;
  request.source = std::string(source);
  request.name = "test.cu";
  request.options = std::move(options);
  request.output = output;
  return nvrtc().compile(request);
}

}  // namespace cudahot::cuda::testing
