// Values and tables for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudahot::tool {

std::string human_size(std::uint64_t bytes);   // "512 B", "5.9 kB", "1.2 MB"
std::string human_age(std::int64_t seconds);   // "3 s", "12 min", "5 h", "9 d"
std::string utc_time(std::int64_t unix_time);  // "2026-01-31 12:00:00 UTC"; "never" for 0
std::string printable(std::string_view text);  // control characters made '?'

struct Column {
  std::string title;
  bool right_aligned = false;
  bool shrinks = false;  // cut with an ellipsis where the table would be wider than the terminal
};

// Lines with two spaces between columns. `width` 0: as wide as the content.
std::string table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows,
                  std::size_t width);

std::size_t terminal_width();  // of standard output; 0 if it is no terminal

}  // namespace cudahot::tool
