// What of a slice's text no kernel of it can reach, decided by names alone: a name that stands nowhere else is not
// used.
#pragma once

#include <vector>

#include "lib/cpu_device/code/declarations.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::cpu_device {

struct UnusedBodies {
  std::vector<region::TextRange> functions;  // '{' to after '}'
  std::vector<region::TextRange> macros;     // from the name on
};

// Bodies of functions at namespace scope and of macros. In doubt a body counts as used: members of classes, operators,
// all in a text with a macro that pastes names.
UnusedBodies find_unused(const region::Slice& slice, const Declarations& declarations);

}  // namespace cudahot::cpu_device
