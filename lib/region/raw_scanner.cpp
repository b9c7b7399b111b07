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

std::string without_splices(std::string_view text) {
  std::string joined;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "\\\n") ++i;
    else joined += text[i];
  }
  return joined;
}

std::string_view spelling(std::string_view text, const RawToken& token) {
  const std::string_view word = text.substr(token.range.begin, token.range.size());
  const bool digraph = token.kind == RawToken::Kind::punctuator && word.size() > 1;  // perhaps with line splices
  if (!digraph) return word;
  if (word.front() == '<') return word.back() == '%' ? "{" : "[";
  return word.front() == '%' ? "}" : "]";
}

std::size_t RawScanner::unspliced(std::size_t offset) const {
  while (at(offset) == '\\' && at(offset + 1) == '\n') offset += 2;
  return offset;
}

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
    if (follows('/', '/')) return scan_line_comment();
    if (follows('/', '*')) return scan_block_comment();
    const bool hash = (c == '#' && !follows('#', '#')) || follows('%', ':');
    if (line_start_ && hash) return scan_directive();
    line_start_ = false;
    if (c == '"' || c == '\'') return scan_quoted(position_);
    if (is_word(c) || (c == '.' && is_digit(at(after(position_))))) return scan_word();
    return scan_punctuator();
  }
  return std::nullopt;
}

RawToken RawScanner::scan_directive() {
  const std::size_t begin = position_;
  while (position_ < text_.size() && text_[position_] != '\n') {
    const char c = text_[position_];
    if (c == '\\' && at(position_ + 1) == '\n') position_ += 2;
    else if (follows('/', '*')) scan_block_comment();
    else if (follows('/', '/')) scan_line_comment();
    else if (c == '"' || c == '\'') scan_quoted(position_);
    else if (is_word(c)) scan_word();
    else ++position_;
  }
  return {RawToken::Kind::directive, {begin, position_}, true};
}

RawToken RawScanner::scan_punctuator() {
  const std::size_t begin = position_;
  const std::size_t second = after(begin);
  bool digraph = follows('<', '%') || follows('%', '>') || follows(':', '>');
  if (follows('<', ':')) {
    // [lex.pptoken]: "<::" is '<' and "::", as in vector<::T>.
    const std::size_t third = after(second);
    const char fourth = at(after(third));
    digraph = at(third) != ':' || fourth == ':' || fourth == '>';
  }
  position_ = digraph ? second + 1 : begin + 1;
  return {RawToken::Kind::punctuator, {begin, position_}, true};
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
  position_ = after(begin) + 1;
  while ((position_ = text_.find('*', position_)) < text_.size()) {
    const std::size_t slash = after(position_);
    if (at(slash) == '/') {
      position_ = slash + 1;
      return {RawToken::Kind::comment, {begin, position_}, true};
    }
    ++position_;
  }
  position_ = text_.size();
  return {RawToken::Kind::comment, {begin, position_}, false};
}

RawToken RawScanner::scan_quoted(std::size_t begin) {
  const char quote = text_[position_++];
  bool terminated = false;
  while (position_ < text_.size() && text_[position_] != '\n') {
    const char c = text_[position_];
    if (c == '\\') {
      const bool splice = at(position_ + 1) == '\n';
      position_ = splice ? position_ + 2 : after(position_);
      if (!splice && position_ < text_.size() && text_[position_] != '\n') ++position_;
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
  char previous = '\0';
  std::size_t next = begin;
  while (next < text_.size()) {
    const char c = text_[next];
    const char behind = at(after(next));
    const bool separator = number && c == '\'' && is_word(behind) && (behind & 0x80) == 0 && behind != '$';
    const bool exponent_sign =
        number && (c == '+' || c == '-') && std::string_view("eEpP").find(previous) != std::string_view::npos;
    if (!is_word(c) && !(number && c == '.') && !separator && !exponent_sign) break;
    previous = c;
    position_ = next + 1;
    next = unspliced(position_);
  }
  if (!number && at(next) == '"' && is_raw_string_prefix(without_splices(text_.substr(begin, position_ - begin)))) {
    position_ = next;
    return scan_raw_string(begin);
  }
  return {RawToken::Kind::word, {begin, position_}, true};
}

}  // namespace cudahot::region
