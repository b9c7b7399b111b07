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

// Calls see(c, at, depth) for each character outside comments and literals, with the depth of round, square and curly
// brackets that it stands in; stops when that gives false.
template <typename See>
void scan(std::string_view text, std::size_t at, See&& see) {
  int depth = 0;
  while (at < text.size()) {
    const std::size_t after = skip_token(text, at);
    if (after != at) {
      at = after;
      continue;
    }
    const char c = text[at];
    if (c == ')' || c == ']' || c == '}') --depth;
    if (!see(c, at, depth)) return;
    if (c == '(' || c == '[' || c == '{') ++depth;
    ++at;
  }
}

bool is_attribute(std::string_view word) {
  return word == "__align__" || word == "alignas" || word == "__attribute__" || word == "decltype";
}

// Where the declarator of a variable ends: at its initialiser, or at the ';'. nullopt for what text alone does not
// tell apart: several declarators, an initialiser in parentheses.
std::optional<std::size_t> declarator_end(std::string_view text) {
  std::optional<std::size_t> end;
  bool unclear = false;
  int angle = 0;
  scan(text, 0, [&](char c, std::size_t at, int depth) {
    if (depth != 0) return true;
    if (c == '<') ++angle;
    if (c == '>') --angle;
    if (angle != 0) return true;
    unclear = c == ',' || (c == '(' && !is_attribute(word_before(text, at)));
    if (c == '=' || c == '{' || c == ';') end = at;
    return !unclear && !end;
  });
  if (!end || unclear) return std::nullopt;
  // A ',' behind the initialiser starts another declarator.
  scan(text, *end, [&](char c, std::size_t, int depth) {
    unclear = c == ',' && depth == 0;
    return !unclear;
  });
  if (unclear) return std::nullopt;
  return end;
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
