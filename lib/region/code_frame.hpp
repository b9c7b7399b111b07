// Places in a text, for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "cudahot/result.hpp"

namespace cudahot::region {

// Line and column (from 1, in bytes) of an offset. `first_line` is the number of the first line. As compilers do it
// counts and names lines as `#line` directives before them say.
SourceLocation locate(std::string_view text, std::size_t offset, std::string_view file, std::uint32_t first_line = 1);

// The number of the line in the file itself.
std::uint32_t line_in_file(std::string_view text, std::size_t offset);

// A frame shows so many bytes of a line at most: generated and binary files have lines of megabytes.
inline constexpr std::size_t kWidestFrame = 200;

// The line that holds `offset`, and below it a caret under the offset followed by '~' up to
// `length` bytes within the line. Tabs are kept so that the caret stands right. Of a line longer
// than kWidestFrame it shows the part around the offset.
std::string code_frame(std::string_view text, std::size_t offset, std::size_t length = 1);

}  // namespace cudahot::region
