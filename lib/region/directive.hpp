// Preprocessing directives in raw text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/region/pragma_lexer.hpp"

namespace cudahot::region {

// The tokens of a directive (a RawToken of that kind) after its '#', its name first; comments and
// line splices skipped, also those inside a token.
std::vector<std::string> directive_tokens(std::string_view directive);

// The first directive of `text` that brings in another file or asks for one: #include and the
// like, __has_include. Also in branches that are not taken now: the device compiler may take others.
std::optional<TextRange> find_file_use(std::string_view text);

// The tokens of each #define and #undef in `text`: what it changes for the code behind it.
std::vector<std::vector<std::string>> macro_changes(std::string_view text);

// `#line N`, `#line N "NAME"` and `# N "NAME"`: what the line behind it is called.
struct LineDirective {
  std::uint32_t line = 0;
  std::optional<std::string> name;
};
std::optional<LineDirective> parse_line_directive(std::string_view line);

// Whether a line of the text is one.
bool has_line_directive(std::string_view text);

}  // namespace cudahot::region
