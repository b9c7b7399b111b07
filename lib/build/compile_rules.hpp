// What decides the code of equal sources beside the compiler: part of every key, by helper_library_digest().
#pragma once

#include <array>
#include <string_view>

namespace cudahot::build {

// To be raised when options, shims or edits of the text, here or for the CPU device, change the code that comes out of
// the same sources.
inline constexpr std::string_view kCompileRules = "3";
// Of the helper library.
inline constexpr std::array<std::string_view, 1> kFixedOptions = {"-default-device"};

}  // namespace cudahot::build
