// Finds region pragmas in raw source text without Clang: enough to splice an edited region.
// Skips comments, string, character and raw string literals; follows line continuations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"

namespace cudahot::region {

// Half-open byte range in a text.
struct TextRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
  friend bool operator==(const TextRange&, const TextRange&) = default;
};

struct PragmaMark {
  enum class Kind {
    begin,
    end,
    instantiate,  // of kernel templates: the compiler's to read
    other         // `#pragma cudahot` with an unknown or malformed rest
  };

  Kind kind = Kind::other;
  std::string name;  // begin: required; end: may be empty; else empty
  TextRange line;    // from the first byte of the line to after its newline
  std::uint32_t line_number = 0;
  std::uint32_t column = 0;  // of the '#'
  std::string problem;       // why kind is other
};

// All `#pragma cudahot` lines of a normalised text, in order. Pragmas other than cudahot's are
// not reported. Text inside `#if 0` is reported too: the caller decides.
std::vector<PragmaMark> find_pragmas(std::string_view text);

// The bodies between begin and end pragmas, paired in order, no nesting.
// Errors: source, with a diagnostic at the pragma (unclosed, unopened, nested, duplicate name,
// end(NAME) that does not match).
struct RegionBody {
  std::string name;
  TextRange body;                // after the begin line, before the end line
  std::uint32_t first_line = 0;  // line number of the first body line
};
Result<std::vector<RegionBody>> find_region_bodies(std::string_view text, std::string_view file);

// Whether (), [] and {} are balanced and never close below the start, outside comments and
// literals; and whether no comment, literal or preprocessor conditional is left open.
// Errors: source, with the place in `file` (lines counted from `first_line`).
Status check_balance(std::string_view body, std::string_view file, std::uint32_t first_line);

}  // namespace cudahot::region
