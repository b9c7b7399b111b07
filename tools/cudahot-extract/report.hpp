// What a run says: messages on standard error, results on standard output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/cudahot-extract/run.hpp"

namespace cudahot::extract_tool {

// Everything that there is to say, in order; notes follow what they belong to.
std::vector<Diagnostic> all_diagnostics(const Outcome& outcome);

// How many bytes a code frame marks: its caret and what follows.
std::size_t frame_width(std::string_view frame);

// Diagnostics with their frames, then errors without a place; each once. Of many
// errors the first. Ends with a newline unless empty.
std::string messages(const Outcome& outcome);

// For people: regions and kernels of each file, and with CUBINs what they need.
std::string summary(const Outcome& outcome);

// The same for programs.
std::string to_json(const Outcome& outcome);

}  // namespace cudahot::extract_tool
