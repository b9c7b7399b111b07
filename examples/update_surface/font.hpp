// A 5x7 bitmap font for captions: capitals, digits and a little punctuation.
#pragma once

#include <string_view>

#include "picture.hpp"

namespace sample {

// Size of a character cell at scale 1: the glyph and the space after it.
inline constexpr unsigned kGlyphAdvance = 6;
inline constexpr unsigned kGlyphHeight = 7;

// Draws white text with its top left corner at (x, y), each font dot scale x scale pixels.
// Lower case is shown as capitals, unknown characters as a filled cell; what lies outside the
// bitmap is cut off.
void draw_text(Bitmap& bitmap, unsigned x, unsigned y, std::string_view text, unsigned scale);

}  // namespace sample
