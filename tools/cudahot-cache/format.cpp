#include "tools/cudahot-cache/format.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace cudahot::tool {
namespace {

constexpr std::size_t kNarrowest = 8;  // a shrunk column stays this wide
constexpr std::string_view kEllipsis = "\xe2\x80\xa6";

bool starts_code_point(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), starts_code_point));
}

std::string cut(std::string_view text, std::size_t width) {
  if (width_of(text) <= width) return std::string(text);
  std::size_t end = 0;
  std::size_t seen = 0;
  while (end < text.size()) {
    if (starts_code_point(text[end]) && seen++ == width - 1) break;
    ++end;
  }
  return std::string(text.substr(0, end)).append(kEllipsis);
}

// Takes what is too much from the widest of the columns that shrink.
void fit(std::vector<std::size_t>& widths, const std::vector<Column>& columns, std::size_t limit) {
  std::size_t total = 2 * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  while (total > limit) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (columns[i].shrinks && widths[i] > kNarrowest && (widest == widths.size() || widths[i] > widths[widest])) {
        widest = i;
      }
    }
    if (widest == widths.size()) return;
    --widths[widest];
    --total;
  }
}

}  // namespace

std::string human_size(std::uint64_t bytes) {
  if (bytes < 1000) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes);
  static constexpr std::array kUnits = {"kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  value /= 1000;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value < 9.95 ? 1 : 0, kUnits[unit]);
}

std::string human_age(std::int64_t seconds) {
  seconds = std::max<std::int64_t>(seconds, 0);
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 60 * 60) return fmt::format("{} min", seconds / 60);
  if (seconds < 48 * 60 * 60) return fmt::format("{} h", seconds / (60 * 60));
  return fmt::format("{} d", seconds / (24 * 60 * 60));
}

std::string utc_time(std::int64_t unix_time) {
  if (unix_time == 0) return "never";
  const std::time_t time = unix_time;
  std::tm parts{};
  if (::gmtime_r(&time, &parts) == nullptr) return fmt::format("{} s", unix_time);
  std::array<char, 64> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts);
  return {text.data(), size};
}

std::string printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return result;
}

std::string table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows,
                  std::size_t width) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::size_t widest = width_of(columns[i].title);
    for (const auto& row : rows) widest = std::max(widest, width_of(row[i]));
    widths.push_back(widest);
  }
  if (width != 0) fit(widths, columns, width);

  std::string text;
  const auto add_cell = [&](std::size_t i, std::string_view value) {
    const std::string cell = cut(value, widths[i]);
    const std::string padding(widths[i] - std::min(widths[i], width_of(cell)), ' ');
    if (i != 0) text += "  ";
    if (columns[i].right_aligned) text += padding;
    text += cell;
    if (!columns[i].right_aligned && i + 1 < columns.size()) text += padding;
  };
  for (std::size_t i = 0; i < columns.size(); ++i) add_cell(i, columns[i].title);
  text += '\n';
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) add_cell(i, row[i]);
    text += '\n';
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
