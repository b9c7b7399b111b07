// Values for people.
#pragma once

#include <charconv>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace cudahot::tool {

std::string human_size(std::uint64_t bytes);            // "512 B", "5.9 kB", "1.2 MB"
std::string human_age(std::int64_t seconds);            // "3 s", "12 min", "5 h", "9 d"
std::string human_duration(std::int64_t microseconds);  // "640 us", "41 ms", "3.2 s", "12 min", "5.5 h"
std::string utc_time(std::int64_t unix_time);           // "2026-01-31 12:00:00 UTC"; "never" for 0
std::string printable(std::string_view text);           // control characters made '?'

// For what is printed a hundred thousand times.
template <typename Integer>
void append_number(std::string& text, Integer number) {
  char digits[24];
  text.append(digits, std::to_chars(std::begin(digits), std::end(digits), number).ptr);
}

// "1 entry", "3 entries"
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace cudahot::tool
