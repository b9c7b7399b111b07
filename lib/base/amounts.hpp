// Amounts as people write them: sizes and ages.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "cudahot/result.hpp"

namespace cudahot::base {

// Bytes: "1048576", "512 kB", "500M", "1 GiB", "1.5G". k, M, G, T with or without B are powers of 1000, with iB of
// 1024. Errors: usage, saying what is accepted.
Result<std::uint64_t> parse_bytes(std::string_view text);

// "90s", "15min", "12h", "30d", "2w"; a number alone is in seconds. Errors: usage, saying what is accepted.
Result<std::chrono::seconds> parse_age(std::string_view text);

}  // namespace cudahot::base
