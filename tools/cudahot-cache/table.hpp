// Tables for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudahot::tool {

struct Column {
  std::string title;
  bool right_aligned = false;
  bool shrinks = false;  // cut with an ellipsis where the table would be wider than the terminal
};

// Cells row by row, in one piece of memory: there may be a million of them.
class Table {
 public:
  explicit Table(std::vector<Column> columns);

  // The text of the next cell is appended to text(), and ended by end_cell(). Control characters are made '?'.
  std::string& text() { return text_; }
  void end_cell();
  void add(std::string_view cell);
  void add_row(std::initializer_list<std::string_view> cells);

  // Lines with two spaces between columns, titles first. `width` 0: as wide as the content.
  std::string to_text(std::size_t width) const;
  // The same lines one by one, each ended by a newline.
  std::vector<std::string> to_lines(std::size_t width) const;

 private:
  std::vector<std::size_t> widths(std::size_t limit) const;
  void append_line(std::string& out, const std::vector<std::size_t>& widths, std::size_t row) const;
  std::string_view cell(std::size_t index) const;
  std::size_t rows() const { return ends_.size() / columns_.size(); }

  std::vector<Column> columns_;
  std::string text_;
  std::vector<std::size_t> ends_;    // of each cell in text_; the first row holds the titles
  std::vector<std::size_t> widest_;  // of each column
};

std::size_t terminal_width();  // of standard output; 0 if it is no terminal

}  // namespace cudahot::tool
