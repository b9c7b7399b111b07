#include "lib/extract/code_text.hpp"

#include <algorithm>

#include "lib/region/raw_scanner.hpp"

namespace cudahot::extract {
namespace {

using region::RawScanner;
using region::RawToken;

bool opens(char c) { return c == '(' || c == '{' || c == '['; }
bool closes(char c) { return c == ')' || c == '}' || c == ']'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f'; }

std::size_t skip_space(std::string_view text, std::size_t from) {
  while (from < text.size() && is_space(text[from])) ++from;
  return from;
}

// After the bracket that closes the one at `from`.
std::size_t matching_end(std::string_view code, std::size_t from) {
  std::size_t depth = 0;
  for (; from < code.size(); ++from) {
    if (opens(code[from])) ++depth;
    else if (closes(code[from]) && --depth == 0) return from + 1;
  }
  return from;
}

}  // namespace

void blank(std::string& text, region::TextRange range) {
  for (std::size_t i = range.begin; i < std::min(range.end, text.size()); ++i) {
    if (text[i] != '\n') text[i] = ' ';
  }
}

std::string without_comments(std::string_view text) {
  std::string result(text);
  RawScanner scanner(text);
  while (const auto token = scanner.next()) {
    if (token->kind == RawToken::Kind::comment) blank(result, token->range);
    if (token->kind != RawToken::Kind::directive) continue;
    // Comments within a directive, its '#' aside: a scan from after it sees them.
    const std::size_t start = token->range.begin + (text[token->range.begin] == '%' ? 2 : 1);
    RawScanner inner(text.substr(start, token->range.end - start));
    while (const auto part = inner.next()) {
      if (part->kind != RawToken::Kind::comment) continue;
      // A line break inside a comment does not end the directive: it needs a continuation.
      region::TextRange range{start + part->range.begin, start + part->range.end};
      const bool several_lines = text.substr(range.begin, range.size()).find('\n') != std::string_view::npos;
      if (!several_lines) blank(result, range);
    }
  }
  return result;
}

std::string only_code(std::string_view text) {
  std::string result(text);
  RawScanner scanner(text);
  while (const auto token = scanner.next()) {
    const bool code = token->kind == RawToken::Kind::word || token->kind == RawToken::Kind::punctuator;
    if (!code) blank(result, token->range);
  }
  return result;
}

std::size_t declaration_end(std::string_view code, std::size_t from) {
  std::size_t depth = 0;
  for (std::size_t i = from; i < code.size(); ++i) {
    if (opens(code[i])) ++depth;
    else if (closes(code[i])) {
      if (depth == 0) return i;
      --depth;
    } else if (code[i] == ';' && depth == 0) {
      return i + 1;
    }
  }
  return code.size();
}

std::size_t function_end(std::string_view code, std::size_t from) {
  for (std::size_t i = from; i < code.size(); ++i) {
    if (code[i] == ';') return i + 1;
    if (code[i] == '(' || code[i] == '[') {
      i = matching_end(code, i) - 1;
      continue;
    }
    if (closes(code[i])) return i;
    if (code[i] != '{') continue;
    const std::size_t end = matching_end(code, i);
    const std::size_t next = skip_space(code, end);
    // A member initialiser's braces, or a function-try-block.
    const bool more = next < code.size() && (code[next] == ',' || code[next] == '{' || code.substr(next, 5) == "catch");
    if (!more) return end;
    i = end - 1;
  }
  return code.size();
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

region::TextRange logical_line(std::string_view text, std::size_t offset) {
  region::TextRange line{offset, offset};
  const auto continued = [&](std::size_t newline) { return newline > 0 && text[newline - 1] == '\\'; };
  while (line.begin > 0 && (text[line.begin - 1] != '\n' || continued(line.begin - 1))) --line.begin;
  while (line.end < text.size() && (text[line.end] != '\n' || continued(line.end))) ++line.end;
  return line;
}

}  // namespace cudahot::extract
