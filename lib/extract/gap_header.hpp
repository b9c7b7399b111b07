// Declarations that nvcc has and Clang's CUDA headers lack. Given to Clang before the source, as
// a file in memory; never part of a slice.
#pragma once

#include <string_view>

namespace cudahot::extract {

inline constexpr std::string_view kGapHeaderPath = "/cudahot-clang/gap.h";

std::string_view gap_header();

}  // namespace cudahot::extract
