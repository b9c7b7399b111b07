// Messages as SARIF 2.1.0, for what shows results of analyses: editors and code hosts.
#pragma once

#include <string>
#include <string_view>

#include "tools/cudahot-extract/run.hpp"

namespace cudahot::extract_tool {

// One run with every diagnostic of `outcome` that has a place as a result, its notes as related locations, and
// errors without one as notifications. Columns count characters.
std::string to_sarif(const Outcome& outcome, std::string_view version);

}  // namespace cudahot::extract_tool
