#include "lib/build/quick_split.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace cudahot::build {
namespace {

std::string newlines_of(std::string_view text) {
  return std::string(static_cast<std::size_t>(std::ranges::count(text, '\n')), '\n');
}

std::string blanked(std::string_view text) {
  std::string blank(text);
  for (char& c : blank) {
    if (c != '\n') c = ' ';
  }
  return blank;
}

// Offset after a comment or literal that starts at `at`; `at` itself when none does.
std::size_t skip_token(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "//") return std::min(text.find('\n', at), text.size());
  if (text.substr(at, 2) == "/*") {
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (text[at] != '"' && text[at] != '\'') return at;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] != text[at]) end += text[end] == '\\' ? 2u : 1u;
  return std::min(end + 1, text.size());
}

bool is_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string_view word_before(std::string_view text, std::size_t at) {
  while (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1])) != 0) --at;
  std::size_t begin = at;
  while (begin > 0 && is_identifier(text[begin - 1])) --begin;
  return text.substr(begin, at - begin);
}

// Where the declarator of a variable ends: at its initialiser, or at the ';'. nullopt for what text alone does not
// tell apart: several declarators, an initialiser in parentheses.
std::optional<std::size_t> declarator_end(std::string_view text) {
  int round_or_square = 0;
  int angle = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t after = skip_token(text, at);
    if (after != at) {
      at = after;
      continue;
    }
    const char c = text[at];
    if (c == '(' && round_or_square == 0) {
      const std::string_view word = word_before(text, at);
      const bool attribute = word == "__align__" || word == "alignas" || word == "__attribute__" || word == "decltype";
      if (!attribute && angle == 0) return std::nullopt;
    }
    if (c == '(' || c == '[') ++round_or_square;
    if (c == ')' || c == ']') --round_or_square;
    if (round_or_square == 0) {
      if (c == '<') ++angle;
      if (c == '>') --angle;
      if (angle == 0 && c == ',') return std::nullopt;
      if (angle == 0 && (c == '=' || c == '{' || c == ';')) return at;
    }
    ++at;
  }
  return std::nullopt;
}

// `__device__ float table[3] = {1, 2, 3};` -> `extern __device__ float table[3] ;`
std::optional<std::string> extern_declaration(std::string_view text) {
  const auto end = declarator_end(text);
  if (!end) return std::nullopt;
  std::size_t begin = 0;
  while (begin < *end && std::isspace(static_cast<unsigned char>(text[begin])) != 0) ++begin;
  std::string declaration(text.substr(0, begin));
  if (!text.substr(begin).starts_with("extern")) declaration += "extern ";
  declaration += text.substr(begin, *end - begin);
  declaration += ';';
  return declaration + newlines_of(text.substr(*end));
}

}  // namespace

std::optional<QuickTexts> split_for_quick_tier(const region::Slice& slice) {
  using Kind = region::Segment::Kind;
  if (std::ranges::none_of(slice.segments, [](const auto& s) { return s.kind == Kind::helper; })) return std::nullopt;
  QuickTexts texts;
  for (const region::Segment& segment : slice.segments) {
    const std::string_view text = std::string_view(slice.text).substr(segment.range.begin, segment.range.size());
    switch (segment.kind) {
      case Kind::prefix:
        texts.kernels += text;
        texts.helpers += text;
        break;
      case Kind::kernel:
        texts.kernels += text;
        texts.helpers += blanked(text);
        break;
      case Kind::helper: {
        texts.helpers += text;
        if (segment.declaration_end < segment.range.end) {
          const std::size_t body = segment.declaration_end - segment.range.begin;
          texts.kernels.append(text.substr(0, body)).append(";").append(newlines_of(text.substr(body)));
        } else if (const auto declaration = extern_declaration(text)) {
          texts.kernels += *declaration;
        } else {
          return std::nullopt;
        }
        break;
      }
    }
  }
  return texts;
}

}  // namespace cudahot::build
