#include "lib/region/code_frame.hpp"

#include <algorithm>

#include "lib/region/directive.hpp"

namespace cudahot::region {
namespace {

std::size_t line_begin(std::string_view text, std::size_t offset) {
  const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

// The first byte of the UTF-8 sequence that holds `offset`, where there is one.
std::size_t character_begin(std::string_view text, std::size_t offset) {
  constexpr std::size_t kLongestTail = 3;
  const auto is_tail = [&](std::size_t at) { return at < text.size() && (text[at] & 0xc0) == 0x80; };
  for (std::size_t back = 0; back <= std::min(kLongestTail, offset); ++back) {
    if (!is_tail(offset - back)) return offset - back;
  }
  return offset;
}

}  // namespace

SourceLocation locate(std::string_view text, std::size_t offset, std::string_view file, std::uint32_t first_line) {
  offset = std::min(offset, text.size());
  const std::size_t begin = line_begin(text, offset);
  SourceLocation place{std::string(file), first_line, static_cast<std::uint32_t>(offset - begin + 1)};
  for (std::size_t at = 0; at < begin; at = text.find('\n', at) + 1) {
    const auto directive = parse_line_directive(text.substr(at, text.find('\n', at) - at));
    place.line = directive ? directive->line : place.line + 1;
    if (directive && directive->name) place.file = *directive->name;
  }
  return place;
}

std::uint32_t line_in_file(std::string_view text, std::size_t offset) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  return static_cast<std::uint32_t>(1 + std::count(text.begin(), end, '\n'));
}

std::string code_frame(std::string_view text, std::size_t offset, std::size_t length) {
  offset = std::min(offset, text.size());
  std::size_t begin = line_begin(text, offset);
  std::size_t end = std::min(text.find('\n', offset), text.size());
  if (end - begin > kWidestFrame) {
    begin = character_begin(text, std::max(begin, offset - std::min(offset, kWidestFrame / 2)));
    end = character_begin(text, std::min(end, begin + kWidestFrame));
  }
  std::string frame(text.substr(begin, end - begin));
  frame += '\n';
  for (std::size_t i = begin; i < offset; ++i) frame += text[i] == '\t' ? '\t' : ' ';
  frame += '^';
  if (length > 1 && end > offset + 1) frame.append(std::min(length, end - offset) - 1, '~');
  frame += '\n';
  return frame;
}

}  // namespace cudahot::region
