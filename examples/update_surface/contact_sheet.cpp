#include "contact_sheet.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "font.hpp"

namespace sample {
namespace {

constexpr unsigned kGap = 12;
constexpr unsigned kTextScale = 2;
constexpr unsigned kCaptionHeight = kGlyphHeight * kTextScale + kGap;
constexpr std::uint8_t kBackground = 40;

void paste(Bitmap& sheet, const Bitmap& tile, unsigned left, unsigned top) {
  const std::size_t row_bytes = std::size_t{3} * tile.width;
  for (unsigned y = 0; y < tile.height; ++y) {
    std::copy_n(tile.rgb.data() + y * row_bytes, row_bytes, sheet.at(left, top + y));
  }
}

}  // namespace

Bitmap ContactSheet::render() const {
  const unsigned width = tiles_.front().first.width;
  const unsigned height = tiles_.front().first.height;
  const unsigned rows = (static_cast<unsigned>(tiles_.size()) + columns_ - 1) / columns_;
  const unsigned step_x = width + kGap, step_y = height + kCaptionHeight + kGap;
  Bitmap sheet(columns_ * step_x + kGap, rows * step_y + kGap);
  std::fill(sheet.rgb.begin(), sheet.rgb.end(), kBackground);

  unsigned index = 0;
  for (const auto& [bitmap, caption] : tiles_) {
    const unsigned left = kGap + index % columns_ * step_x;
    const unsigned top = kGap + index / columns_ * step_y;
    paste(sheet, bitmap, left, top);
    const std::size_t fitting = width / (kGlyphAdvance * kTextScale);
    draw_text(sheet, left, top + height + kGap / 2, std::string_view(caption).substr(0, fitting), kTextScale);
    ++index;
  }
  return sheet;
}

}  // namespace sample
