#include "lib/region/raw_scanner.hpp"

namespace cudahot::region {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes of UTF-8 sequences belong to identifiers.
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80) != 0;
}

bool is_raw_string_prefix(std::string_view word) {
  return word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
}

}  // namespace

std::optional<RawToken> RawScanner::next() {
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (is_space(c)) {
      if (c == '\n') line_start_ = true;
      ++position_;
      continue;
    }
    if (c == '\\' && at(position_ + 1) == '\n') {
      position_ += 2;
      continue;
    }
    if (c == '/' && at(position_ + 1) == '/') return scan_line_comment();
    if (c == '/' && at(position_ + 1) == '*') return scan_block_comment();
    if (line_start_ && (c == '#' || (c == '%' && at(position_ + 1) == ':'))) return scan_directive();
    line_start_ = false;
    if (c == '"' || c == '\'') return scan_quoted(position_);
    if (is_word(c) || (c == '.' && is_digit(at(position_ + 1)))) return scan_word();
    return RawToken{RawToken::Kind::punctuator, {position_, ++position_}, true};
  }
  return std::nullopt;
}

RawToken RawScanner::scan_directive() {
  const std::size_t begin = position_;
  while (position_ < text_.size() && text_[position_] != '\n') {
    const char c = text_[position_];
    if (c == '\\' && at(position_ + 1) == '\n') position_ += 2;
    else if (c == '/' && at(position_ + 1) == '*') scan_block_comment();
    else if (c == '/' && at(position_ + 1) == '/') scan_line_comment();
    else if (c == '"') scan_quoted(position_);
    else ++position_;
  }
  return {RawToken::Kind::directive, {begin, position_}, true};
}

RawToken RawScanner::scan_line_comment() {
  const std::size_t begin = position_;
  while (position_ < text_.size() && text_[position_] != '\n') {
    position_ += text_[position_] == '\\' && at(position_ + 1) == '\n' ? 2U : 1U;
  }
  return {RawToken::Kind::comment, {begin, position_}, true};
}

RawToken RawScanner::scan_block_comment() {
  const std::size_t begin = position_;
  const std::size_t end = text_.find("*/", position_ + 2);
  position_ = end == std::string_view::npos ? text_.size() : end + 2;
  return {RawToken::Kind::comment, {begin, position_}, end != std::string_view::npos};
}

RawToken RawScanner::scan_quoted(std::size_t begin) {
  const char quote = text_[position_++];
  bool terminated = false;
  while (position_ < text_.size() && text_[position_] != '\n') {
    const char c = text_[position_];
    if (c == '\\' && position_ + 1 < text_.size()) {
      position_ += 2;
      continue;
    }
    ++position_;
    if (c == quote) {
      terminated = true;
      break;
    }
  }
  return {RawToken::Kind::literal, {begin, position_}, terminated};
}

RawToken RawScanner::scan_raw_string(std::size_t begin) {
  const std::size_t open = text_.find('(', position_);
  // [lex.string]: a delimiter has at most 16 characters.
  if (open == std::string_view::npos || open - position_ > 17) return scan_quoted(begin);
  std::string closing(1, ')');
  closing.append(text_.substr(position_ + 1, open - position_ - 1));
  closing += '"';
  const std::size_t end = text_.find(closing, open + 1);
  position_ = end == std::string_view::npos ? text_.size() : end + closing.size();
  return {RawToken::Kind::literal, {begin, position_}, end != std::string_view::npos};
}

RawToken RawScanner::scan_word() {
  const std::size_t begin = position_;
  const bool number = !is_word(text_[begin]) || is_digit(text_[begin]);
  while (position_ < text_.size()) {
    const char c = text_[position_];
    const bool separator = number && c == '\'' && is_word(at(position_ + 1));
    const bool exponent_sign = number && (c == '+' || c == '-') && position_ > begin &&
                               std::string_view("eEpP").find(text_[position_ - 1]) != std::string_view::npos;
    if (is_word(c) || (number && c == '.') || separator || exponent_sign) ++position_;
    else break;
  }
  if (!number && at(position_) == '"' && is_raw_string_prefix(text_.substr(begin, position_ - begin))) {
    return scan_raw_string(begin);
  }
  return {RawToken::Kind::word, {begin, position_}, true};
}

}  // namespace cudahot::region
