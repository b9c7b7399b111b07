// From places in a slice's text to places in the user's files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::cpu_device {

// The user's path of a file that `#line` in the slice's text calls `virtual_name`; the name itself when it is none.
std::string user_path(const region::Slice& slice, std::string_view virtual_name);

// Where the byte at `offset` of the slice's text comes from, by the `#line` directives before it.
SourceLocation place_of(const region::Slice& slice, std::size_t offset);

// The place where `function` (its last component, if qualified) is first called. No file when it is not.
SourceLocation place_of_call(const region::Slice& slice, std::string_view function);

}  // namespace cudahot::cpu_device
