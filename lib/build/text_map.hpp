// From places in a slice's text to places in the user's files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::build {

// The user's path of a file that `#line` in the slice's text calls `virtual_name`; the name itself when it is none
// of the slice's files.
std::string user_path(const region::Slice& slice, std::string_view virtual_name);

// Where the byte at `offset` of the slice's text comes from: its `#line` directives, followed up to there.
SourceLocation location_at(const region::Slice& slice, std::size_t offset);

// The line of the user's file that the first call of `function` stands in. `function` is a qualified name without
// parameters; its last component is looked for, followed by '(' or '<'. `file` is empty when there is none.
SourceLocation first_use(const region::Slice& slice, std::string_view function);

// The line of the slice's text around `offset`, with a caret line below. Each ends with a newline.
std::string frame_at(std::string_view text, std::size_t offset);

}  // namespace cudahot::build
