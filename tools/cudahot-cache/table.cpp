#include "tools/cudahot-cache/table.hpp"

#include <algorithm>
#include <span>

#include <sys/ioctl.h>
#include <unistd.h>

namespace cudahot::tool {
namespace {

constexpr std::size_t kNarrowest = 8;  // a shrunk column stays this wide
constexpr std::size_t kGap = 2;        // between columns
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";
constexpr char kEnd = '\0';  // of a cell

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

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

void Table::reserve(std::size_t rows) {
  constexpr std::size_t kUsual = 100;
  text_.reserve(rows * kUsual);
}

void Table::append(std::string_view text) {
  const std::size_t begin = text_.size();
  text_ += text;
  for (char& c : std::span(text_).subspan(begin)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) c = '?';
    else if (byte > 0x7f) ascii_ = false;
  }
}

void Table::end_cell() {
  const std::size_t size = text_.size() - begin_;
  std::size_t& widest = widest_[column_];
  if (size > widest) widest = std::max(widest, width_of(std::string_view(text_).substr(begin_)));
  text_ += kEnd;
  begin_ += size + 1;
  column_ = column_ + 1 == columns_.size() ? 0 : column_ + 1;
}

void Table::add(std::string_view cell) {
  append(cell);
  end_cell();
}

void Table::add_row(std::initializer_list<std::string_view> cells) {
  for (const std::string_view cell : cells) add(cell);
}

std::size_t Table::width_of(std::string_view text) const {
  if (ascii_) return text.size();
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

// Takes what is too much from the widest of the columns that shrink.
std::vector<std::size_t> Table::widths(std::size_t limit) const {
  std::vector<std::size_t> widths = widest_;
  std::size_t total = kGap * (widths.size() - 1);
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

Table::Lines::Lines(const Table& table, std::size_t width) : table_(&table), widths_(table.widths(width)) {
  for (const std::size_t column : widths_) line_width_ += column + kGap;
}

// Into a line of blanks; characters of several bytes make it longer.
bool Table::Lines::append_next(std::string& out) {
  const std::string_view cells = table_->text_;
  if (at_ == cells.size()) return false;
  std::size_t column_begin = out.size();
  out.append(line_width_, ' ');
  std::size_t end = 0;
  for (std::size_t i = 0; i < widths_.size(); ++i) {
    std::string_view text = cells.substr(at_, cells.find(kEnd, at_) - at_);
    at_ += text.size() + 1;
    std::size_t width = table_->width_of(text);
    const bool cut = width > widths_[i];
    if (cut) {
      text = beginning(text, widths_[i] - 1);
      width = widths_[i];
    }
    const std::size_t bytes = text.size() + (cut ? kEllipsis.size() : 0);
    out.append(bytes - width, ' ');
    const std::size_t begin = column_begin + (table_->columns_[i].right_aligned ? widths_[i] - width : 0);
    text.copy(out.data() + begin, text.size());
    if (cut) kEllipsis.copy(out.data() + begin + text.size(), kEllipsis.size());
    end = begin + bytes;
    column_begin += widths_[i] + (bytes - width) + kGap;
  }
  out.resize(end);
  out += '\n';
  return true;
}

std::string Table::to_text(std::size_t width) const {
  std::string text;
  Lines lines(*this, width);
  while (lines.append_next(text)) {
  }
  return text;
}

std::size_t terminal_width() {
  if (::isatty(STDOUT_FILENO) == 0) return 0;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

}  // namespace cudahot::tool
