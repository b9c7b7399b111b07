// Pictures in host memory and their PNG files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "cudahot/result.hpp"

namespace sample {

// RGBA by rows from the top; display values in [0, 1], others are clipped when shown.
struct Picture {
  unsigned width = 0;
  unsigned height = 0;
  std::vector<float> rgba;
};

// RGB, 8 bits a channel, by rows from the top.
struct Bitmap {
  unsigned width = 0;
  unsigned height = 0;
  std::vector<std::uint8_t> rgb;

  Bitmap() = default;
  Bitmap(unsigned columns, unsigned rows) : width(columns), height(rows), rgb(std::size_t{3} * columns * rows) {}
  std::uint8_t* at(unsigned x, unsigned y) { return rgb.data() + (std::size_t{y} * width + x) * 3; }
};

// Alpha is dropped; a NaN is black.
Bitmap to_bitmap(const Picture& picture);

// Errors: environment, naming the file.
cudahot::Status write_png(const Bitmap& bitmap, const std::filesystem::path& path);

}  // namespace sample
