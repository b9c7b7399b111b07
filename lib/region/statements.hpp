// The statements of a statement region, read without Clang.
#pragma once

#include <string_view>

namespace cudahot::region {

// Whether the text is a run of whole statements that no break, continue, case or goto leaves, as far as text tells:
// macros may hide more. Text with conditionals is taken as it is. False means that Clang must look at it.
bool are_whole_statements(std::string_view text);

}  // namespace cudahot::region
