// The standard headers that NVRTC has not got, in the parts that device code uses. Host headers must not be used
// instead: they break NVRTC.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cudahot::build {

// Name as included -> text. Every name appears once; the texts guard themselves and depend on nothing else, but that
// one of them stands for a header of the toolkit's.
const std::vector<std::pair<std::string, std::string>>& std_shims();

// Those of them that are C headers, with their C++ names (std_shims_c.cpp).
const std::vector<std::pair<std::string, std::string>>& c_shims();

// <complex> (std_shims_complex.cpp).
const char* complex_shim();

}  // namespace cudahot::build
