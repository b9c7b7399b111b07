#include "tools/cudahot-cache/table.hpp"

#include <algorithm>

#include <sys/ioctl.h>
#include <unistd.h>

namespace cudahot::tool {
namespace {

constexpr std::size_t kNarrowest = 8;  // a shrunk column stays this wide
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

// The beginning of `text`, `width` code points long.
std::string_view beginning(std::string_view text, std::size_t width) {
  std::size_t end = 0;
  std::size_t seen = 0;
  while (end < text.size()) {
    if (starts_code_point(text[end]) && seen++ == width) break;
    ++end;
  }
  return text.substr(0, end);
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)), widest_(columns_.size()) {
  for (const Column& column : columns_) add(column.title);
}

void Table::end_cell() {
  const std::size_t begin = ends_.empty() ? 0 : ends_.back();
  for (std::size_t i = begin; i < text_.size(); ++i) {
    if (static_cast<unsigned char>(text_[i]) < 0x20 || text_[i] == 0x7f) text_[i] = '?';
  }
  std::size_t& widest = widest_[ends_.size() % columns_.size()];
  if (text_.size() - begin > widest) widest = std::max(widest, width_of(std::string_view(text_).substr(begin)));
  ends_.push_back(text_.size());
}

void Table::add(std::string_view cell) {
  text_ += cell;
  end_cell();
}

void Table::add_row(std::initializer_list<std::string_view> cells) {
  for (const std::string_view cell : cells) add(cell);
}

std::string_view Table::cell(std::size_t index) const {
  const std::size_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(text_).substr(begin, ends_[index] - begin);
}

// Takes what is too much from the widest of the columns that shrink.
std::vector<std::size_t> Table::widths(std::size_t limit) const {
  std::vector<std::size_t> widths = widest_;
  std::size_t total = 2 * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  while (limit != 0 && total > limit) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (columns_[i].shrinks && widths[i] > kNarrowest && (widest == widths.size() || widths[i] > widths[widest])) {
        widest = i;
      }
    }
    if (widest == widths.size()) break;
    --widths[widest];
    --total;
  }
  return widths;
}

void Table::append_line(std::string& out, const std::vector<std::size_t>& widths, std::size_t row) const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const std::string_view text = cell(row * columns_.size() + i);
    const std::size_t width = width_of(text);
    const std::size_t padding = widths[i] - std::min(widths[i], width);
    const bool last = i + 1 == columns_.size();
    if (i != 0) out += "  ";
    if (columns_[i].right_aligned) out.append(padding, ' ');
    if (width <= widths[i]) out += text;
    else out.append(beginning(text, widths[i] - 1)).append(kEllipsis);
    if (!columns_[i].right_aligned && !last) out.append(padding, ' ');
  }
  out += '\n';
}

std::string Table::to_text(std::size_t width) const {
  const auto fitted = widths(width);
  std::string text;
  for (std::size_t row = 0; row < rows(); ++row) append_line(text, fitted, row);
  return text;
}

std::vector<std::string> Table::to_lines(std::size_t width) const {
  const auto fitted = widths(width);
  std::vector<std::string> lines(rows());
  for (std::size_t row = 0; row < rows(); ++row) append_line(lines[row], fitted, row);
  return lines;
}

std::size_t terminal_width() {
  if (::isatty(STDOUT_FILENO) == 0) return 0;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace cudahot::tool
