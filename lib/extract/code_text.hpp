// Source text with what is not code blanked, length and lines kept, and where things in it end.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/region/pragma_lexer.hpp"

namespace cudahot::extract {

// Overwrites a range with spaces, newlines kept.
void blank(std::string& text, region::TextRange range);

std::string without_comments(std::string_view text);

// Comments, literals and directives blanked: every bracket left is one.
std::string only_code(std::string_view text);

// `code` as from only_code. After the ';' that ends the declaration that `from` is in, or before
// the bracket that closes around it.
std::size_t declaration_end(std::string_view code, std::size_t from);

// After the body of the function whose declarator ends at `from`, or after its ';'.
std::size_t function_end(std::string_view code, std::size_t from);

// As it stands between the quotes of a string literal.
std::string escaped(std::string_view text);

// The whole logical line that holds `offset`, continuations included, newline excluded.
region::TextRange logical_line(std::string_view text, std::size_t offset);

}  // namespace cudahot::extract
