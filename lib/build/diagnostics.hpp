// Compiler logs as structure, in the user's files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::build {

// NVRTC's log -> diagnostics. Lines look like
//   NAME(LINE): error: TEXT        followed by the source line and a caret line
// NAME is a virtual name of `slice.files` (mapped back to the user's path) or another. Notes and
// "detected during" lines are kept as notes. Messages about the same place and text come once.
std::vector<Diagnostic> parse_compiler_log(std::string_view log, const region::Slice& slice);

// The failure that a compiler's log tells of: code source, the diagnostics of the log, and its first error as message
// and location.
Error source_error(std::string_view log, const region::Slice& slice);

// "shade.cu:12:3: error: TEXT [CH012]" + frame + "  hint: ...", for terminals without colour. No newline
// at the end.
std::string render(const Diagnostic& diagnostic);

}  // namespace cudahot::build
