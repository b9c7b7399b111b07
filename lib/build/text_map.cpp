#include "lib/build/text_map.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "lib/region/code_frame.hpp"

namespace cudahot::build {
namespace {

struct LineDirective {
  std::uint32_t line = 0;
  std::optional<std::string> name;
};

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
}

// `#line N`, `#line N "NAME"` and `# N "NAME"`.
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

bool is_identifier(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

}  // namespace

std::string user_path(const region::Slice& slice, std::string_view virtual_name) {
  for (const auto& file : slice.files) {
    if (file.virtual_name == virtual_name) return file.path;
  }
  return std::string(virtual_name);
}

SourceLocation location_at(const region::Slice& slice, std::size_t offset) {
  const std::string_view text = slice.text;
  std::string name = slice.files.empty() ? std::string() : slice.files.front().virtual_name;
  std::uint32_t line = 1;
  std::size_t begin = 0;
  for (;;) {
    const std::size_t newline = text.find('\n', begin);
    const bool last = newline == std::string_view::npos || newline >= offset;
    if (last) break;
    if (const auto directive = parse_line_directive(text.substr(begin, newline - begin))) {
      line = directive->line;
      if (directive->name) name = *directive->name;
    } else {
      ++line;
    }
    begin = newline + 1;
  }
  return {user_path(slice, name), line, static_cast<std::uint32_t>(offset - begin + 1)};
}

std::optional<std::size_t> first_use(const region::Slice& slice, std::string_view function) {
  const std::size_t scope = function.rfind(':');
  const std::string_view name = scope == std::string_view::npos ? function : function.substr(scope + 1);
  if (name.empty()) return std::nullopt;
  const std::string_view text = slice.text;
  std::optional<std::size_t> elsewhere;
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    if ((at > 0 && is_identifier(text[at - 1])) || (end < text.size() && is_identifier(text[end]))) continue;
    std::string_view rest = text.substr(end);
    skip_blanks(rest);
    if (rest.empty() || (rest.front() != '(' && rest.front() != '<')) continue;
    const bool in_region = std::ranges::any_of(
        slice.regions, [&](const region::Region& r) { return at >= r.body.begin && at < r.body.end; });
    if (in_region) return at;
    // The last one: declarations come before uses.
    elsewhere = at;
  }
  return elsewhere;
}

void place_at_first_use(const region::Slice& slice, std::string_view function, Diagnostic& diagnostic) {
  const auto offset = first_use(slice, function);
  if (!offset) return;
  diagnostic.location = location_at(slice, *offset);
  diagnostic.frame = region::code_frame(slice.text, *offset);
}

}  // namespace cudahot::build
