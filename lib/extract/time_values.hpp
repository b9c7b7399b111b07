// What __DATE__, __TIME__ and __TIMESTAMP__ stand for in an extraction.
#pragma once

#include <array>
#include <filesystem>
#include <string>

#include "lib/region/time_macros.hpp"

namespace cudahot::extract {

// In the order of region::kTimeMacros: the date and the time of now, and when `main_file` was last changed. All three
// are of $SOURCE_DATE_EPOCH (seconds since 1970, read as UTC) where that is set.
std::array<std::string, region::kTimeMacros.size()> time_values(const std::filesystem::path& main_file);

}  // namespace cudahot::extract
