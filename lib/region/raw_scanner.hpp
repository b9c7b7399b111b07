// A raw scanner over C++ source: splits text into directives, words, punctuators, literals and
// comments without preprocessing it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "lib/region/pragma_lexer.hpp"

namespace cudahot::region {

struct RawToken {
  enum class Kind {
    directive,   // from '#' (or '%:') to the end of its logical line, without the newline
    word,        // identifier, keyword or number; may hold line splices
    punctuator,  // one character, or a digraph of a bracket
    literal,     // string, character or raw string literal
    comment,
  };

  Kind kind = Kind::punctuator;
  TextRange range;
  bool terminated = true;  // literal, comment: its end was found
};

// Lines that a backslash continues are joined.
std::string without_splices(std::string_view text);

// The token's text in `text`; of a digraph, the bracket that it stands for.
std::string_view spelling(std::string_view text, const RawToken& token);

class RawScanner {
 public:
  explicit RawScanner(std::string_view text) : text_(text) {}

  // nullopt at the end of the text.
  std::optional<RawToken> next();

 private:
  RawToken scan_directive();
  RawToken scan_punctuator();
  RawToken scan_line_comment();
  RawToken scan_block_comment();
  RawToken scan_quoted(std::size_t begin);
  RawToken scan_raw_string(std::size_t begin);
  RawToken scan_word();

  char at(std::size_t offset) const { return offset < text_.size() ? text_[offset] : '\0'; }
  // Line splices skipped: the character at `offset` or after it, and the one that follows.
  std::size_t unspliced(std::size_t offset) const;
  std::size_t after(std::size_t offset) const { return unspliced(offset + 1); }
  bool follows(char first, char second) const { return at(position_) == first && at(after(position_)) == second; }

  std::string_view text_;
  std::size_t position_ = 0;
  bool line_start_ = true;  // only white space and comments so far on this line
};

}  // namespace cudahot::region
