// Declarations that nvcc has and Clang's CUDA headers lack. Given to Clang before the source, as
// a file in memory; never part of a slice.
#pragma once

#include <string_view>

namespace cudahot::extract {

inline constexpr std::string_view kGapHeaderPath = "/cudahot-clang/gap.h";

// In memory, too: what Clang wants to see of a toolkit before it takes one, without its headers.
inline constexpr std::string_view kToolkitPath = "/cudahot-clang/toolkit";

std::string_view gap_header();

}  // namespace cudahot::extract
