// Sizes and ages as people write them. Pure functions.
#pragma once

#include <cstdint>
#include <string_view>

#include "cudahot/result.hpp"

namespace cudahot::tool {

// Bytes: "4096", "500M" and "500 MB" (powers of 1000), "1GiB" (powers of 1024), "1.5G". Errors: usage.
Result<std::uint64_t> parse_size(std::string_view text);

// Seconds: "90s", "15min", "12h", "30d", "2w". Errors: usage.
Result<std::int64_t> parse_age(std::string_view text);

}  // namespace cudahot::tool
