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

  // Room for rows as wide as usual; for speed alone.
  void reserve(std::size_t rows);

  // The next cell may be written in parts, and is ended by end_cell(). Control characters are made '?'; what goes
  // straight to figure() must be without them, and ASCII.
  void append(std::string_view text);
  std::string& figure() { return text_; }
  void end_cell();
  void add(std::string_view cell);
  void add_row(std::initializer_list<std::string_view> cells);

  // The lines one after another, with two spaces between columns, titles first. The table must live on unchanged.
  class Lines {
   public:
    // `width` 0: as wide as the content.
    Lines(const Table& table, std::size_t width);
    // Appends the next line, with a newline. False: there is none.
    bool append_next(std::string& out);

   private:
    const Table* table_;
    std::vector<std::size_t> widths_;
    std::size_t line_width_ = 0;
    std::size_t at_ = 0;  // of the next cell in text_
  };
  std::string to_text(std::size_t width) const;  // all lines

 private:
  std::vector<std::size_t> widths(std::size_t limit) const;
  std::size_t width_of(std::string_view text) const;  // in characters

  std::vector<Column> columns_;
  std::string text_;                 // of all cells, each ended by a zero; the first row holds the titles
  std::size_t begin_ = 0;            // of the cell that is being written
  std::size_t column_ = 0;           // of that cell
  bool ascii_ = true;                // all of text_: bytes are characters
  std::vector<std::size_t> widest_;  // of each column
};

std::size_t terminal_width();  // of standard output; 0 if it is no terminal

}  // namespace cudahot::tool
