#include "lib/region/directive.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "lib/region/raw_scanner.hpp"

namespace cudahot::region {
namespace {

constexpr std::array<std::string_view, 4> kNamesOfFileUse{"include", "include_next", "import", "embed"};
constexpr std::array<std::string_view, 3> kQuestionsAboutFiles{"__has_include", "__has_include_next", "__has_embed"};

template <typename List>
bool holds(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

}  // namespace

std::vector<std::string> directive_tokens(std::string_view directive) {
  std::string text = without_splices(directive);
  text.erase(0, text.starts_with("%:") ? 2 : 1);
  std::vector<std::string> tokens;
  RawScanner scanner(text);
  while (const auto token = scanner.next()) {
    if (token->kind != RawToken::Kind::comment) tokens.push_back(text.substr(token->range.begin, token->range.size()));
  }
  return tokens;
}

std::optional<TextRange> find_file_use(std::string_view text) {
  RawScanner scanner(text);
  while (const auto token = scanner.next()) {
    if (token->kind != RawToken::Kind::directive) continue;
    const auto tokens = directive_tokens(text.substr(token->range.begin, token->range.size()));
    if (tokens.empty()) continue;
    const bool asks = std::any_of(tokens.begin(), tokens.end(),
                                  [](const std::string& word) { return holds(kQuestionsAboutFiles, word); });
    if (asks || holds(kNamesOfFileUse, tokens.front())) return token->range;
  }
  return std::nullopt;
}

std::vector<std::vector<std::string>> macro_changes(std::string_view text) {
  std::vector<std::vector<std::string>> found;
  RawScanner scanner(text);
  while (const auto token = scanner.next()) {
    if (token->kind != RawToken::Kind::directive) continue;
    auto tokens = directive_tokens(text.substr(token->range.begin, token->range.size()));
    if (!tokens.empty() && (tokens.front() == "define" || tokens.front() == "undef"))
      found.push_back(std::move(tokens));
  }
  return found;
}

std::optional<LineDirective> parse_line_directive(std::string_view line) {
  skip_blanks(line);
  if (line.empty() || line.front() != '#') return std::nullopt;
  line.remove_prefix(1);
  skip_blanks(line);
  if (line.starts_with("line")) line.remove_prefix(4);
  skip_blanks(line);
  LineDirective directive;
  const auto [after, error] = std::from_chars(line.data(), line.data() + line.size(), directive.line);
  if (error != std::errc()) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(after - line.data()));
  skip_blanks(line);
  if (line.empty() || line.front() != '"') return directive;
  std::string name;
  for (std::size_t i = 1; i < line.size() && line[i] != '"'; ++i) {
    if (line[i] == '\\' && i + 1 < line.size()) ++i;
    name += line[i];
  }
  directive.name = std::move(name);
  return directive;
}

bool has_line_directive(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); at = std::min(text.find('\n', at), text.size() - 1) + 1) {
    if (parse_line_directive(text.substr(at, text.find('\n', at) - at))) return true;
  }
  return false;
}

}  // namespace cudahot::region
