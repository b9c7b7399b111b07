// Depfiles for Make and Ninja.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudahot::extract_tool {

// A path as Make reads it: spaces, '#' and '$' escaped.
std::string escape_for_make(std::string_view path);

// "target: a b c", with one dependency a line; duplicates are left out.
std::string depfile_text(std::string_view target, const std::vector<std::string>& dependencies);

}  // namespace cudahot::extract_tool
