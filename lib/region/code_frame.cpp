#include "lib/region/code_frame.hpp"

#include <algorithm>

namespace cudahot::region {
namespace {

std::size_t line_begin(std::string_view text, std::size_t offset) {
  const std::size_t newline = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
  return newline == std::string_view::npos ? 0 : newline + 1;
}

}  // namespace

SourceLocation locate(std::string_view text, std::size_t offset, std::string_view file, std::uint32_t first_line) {
  offset = std::min(offset, text.size());
  const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n');
  return {std::string(file), first_line + static_cast<std::uint32_t>(lines),
          static_cast<std::uint32_t>(offset - line_begin(text, offset) + 1)};
}

std::string code_frame(std::string_view text, std::size_t offset, std::size_t length) {
  offset = std::min(offset, text.size());
  const std::size_t begin = line_begin(text, offset);
  const std::size_t end = std::min(text.find('\n', offset), text.size());
  std::string frame(text.substr(begin, end - begin));
  frame += '\n';
  for (std::size_t i = begin; i < offset; ++i) frame += text[i] == '\t' ? '\t' : ' ';
  frame += '^';
  if (length > 1 && end > offset + 1) frame.append(std::min(length, end - offset) - 1, '~');
  frame += '\n';
  return frame;
}

}  // namespace cudahot::region
