// What a text declares at namespace scope, read without Clang: enough to tell which functions of a function region an
// edit changed, and whether it changed more than their bodies.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cudahot::region {

// A declaration, or a directive between declarations.
struct Outlined {
  std::vector<std::string> tokens;   // comments left out; of a function without its body
  std::vector<std::uint32_t> lines;  // of each token, from 0
  std::string function;              // the name of a plain device function that is defined; else empty

  // Its lines apart.
  bool same_text(const Outlined& other) const { return tokens == other.tokens; }
};

std::vector<Outlined> outline(std::string_view text);

// Where a line of `before` went that holds a token of a declaration: to that token's line in `after`, where the same
// declaration stands there. Else `line` itself. Lines count from 0.
std::uint32_t moved_line(const std::vector<Outlined>& before, const std::vector<Outlined>& after, std::uint32_t line);

}  // namespace cudahot::region
