#include "lib/cpu_device/code/source_places.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "lib/region/raw_scanner.hpp"

namespace cudahot::cpu_device {
namespace {

std::string_view without_blanks(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view() : text.substr(begin);
}

struct LineDirective {
  std::uint32_t line = 0;
  std::optional<std::string> file;
};

// `#line N "FILE"`, `#line N` and `# N "FILE"`.
std::optional<LineDirective> read_line_directive(std::string_view text) {
  text = without_blanks(text.substr(1));
  if (text.starts_with("line")) text = without_blanks(text.substr(4));
  LineDirective directive;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), directive.line);
  if (error != std::errc()) return std::nullopt;
  text = without_blanks(text.substr(static_cast<std::size_t>(rest - text.data())));
  if (!text.starts_with('"')) return directive;
  std::string file;
  for (std::size_t i = 1; i < text.size() && text[i] != '"'; ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    file += text[i];
  }
  directive.file = std::move(file);
  return directive;
}

}  // namespace

std::string user_path(const region::Slice& slice, std::string_view virtual_name) {
  for (const auto& file : slice.files) {
    if (file.virtual_name == virtual_name) return file.path;
  }
  return std::string(virtual_name);
}

SourceLocation place_of(const region::Slice& slice, std::size_t offset) {
  const std::string_view text = slice.text;
  std::string file = slice.files.empty() ? std::string() : slice.files.front().virtual_name;
  std::uint32_t line = 1;
  std::size_t line_begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos && end < offset;
       end = text.find('\n', end + 1)) {
    const std::string_view content = without_blanks(text.substr(line_begin, end - line_begin));
    const auto directive = content.starts_with('#') ? read_line_directive(content) : std::nullopt;
    line = directive ? directive->line : line + 1;
    if (directive && directive->file) file = *directive->file;
    line_begin = end + 1;
  }
  return {user_path(slice, file), line, static_cast<std::uint32_t>(offset - line_begin + 1)};
}

SourceLocation place_of_call(const region::Slice& slice, std::string_view function) {
  const std::size_t scope = function.rfind(':');
  const std::string_view name = scope == std::string_view::npos ? function : function.substr(scope + 1);
  const std::string_view text = slice.text;
  region::RawScanner scanner(text);
  std::optional<std::size_t> candidate;
  std::vector<bool> braces;  // whether each open one is that of a namespace
  bool after_namespace = false;
  SourceLocation declared;
  while (const auto token = scanner.next()) {
    const std::string_view word = text.substr(token->range.begin, token->range.size());
    if (candidate && (word == "(" || word == "<")) {
      const SourceLocation place = place_of(slice, *candidate);
      // What stands in nothing but namespaces declares it.
      if (std::ranges::find(braces, false) != braces.end()) return place;
      if (declared.file.empty()) declared = place;
    }
    candidate.reset();
    if (token->kind == region::RawToken::Kind::word) {
      if (word == name) candidate = token->range.begin;
      if (word == "namespace") after_namespace = true;
    } else if (token->kind == region::RawToken::Kind::punctuator) {
      if (word == "{") braces.push_back(std::exchange(after_namespace, false));
      if (word == "}" && !braces.empty()) braces.pop_back();
      if (word == ";") after_namespace = false;
    }
  }
  return declared;
}

}  // namespace cudahot::cpu_device
