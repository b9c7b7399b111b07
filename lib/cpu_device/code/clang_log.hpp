// What Clang and the linker print, as structure, in the user's files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::cpu_device {

// Clang's messages: `FILE:LINE:COLUMN: error: TEXT`, followed by the source line and carets. FILE is a virtual name of
// the slice's files or another. Messages about the same place and text come once; those about headers of the prelude
// are moved to the user's line that a note names.
std::vector<Diagnostic> parse_clang_log(std::string_view log, const region::Slice& slice);

// One error for each undefined symbol that lld or ld names, at the place of its first call. Empty when the link failed
// for another reason.
std::vector<Diagnostic> parse_link_log(std::string_view log, const region::Slice& slice);

}  // namespace cudahot::cpu_device
