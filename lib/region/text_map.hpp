// From places in a slice's text to places in the user's files.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::region {

// The user's path of a file that `#line` in the slice's text calls `virtual_name`; the name itself when it is none
// of the slice's files.
std::string user_path(const Slice& slice, std::string_view virtual_name);

// Where the byte at `offset` of the slice's text comes from: its `#line` directives, followed up to there.
SourceLocation location_at(const Slice& slice, std::size_t offset);

// Where a kernel's name stands, without a column.
SourceLocation location_of(const Slice& slice, const Kernel& kernel);

// The offset in the slice's text where `symbol`, as a demangler writes it, is first used: in a region before
// elsewhere, and in a function or variable before what looks like its declaration. Its last component is looked for;
// of a function with its parameters, followed by '(' or '<'.
std::optional<std::size_t> first_use(const Slice& slice, std::string_view symbol);

// Puts location and frame of that use into `diagnostic`, where there is one.
void place_at_first_use(const Slice& slice, std::string_view symbol, Diagnostic& diagnostic);

}  // namespace cudahot::region
