// What UpdateSurface draws, computed on the CPU in double precision and written independently of
// the kernel: the pixel reference of the demo and of the GPU tests.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include <fmt/format.h>

namespace sample {

struct ExpectedPixel {
  std::array<double, 4> rgba{};
  std::array<double, 4> tolerance{};  // largest difference that rounding explains
};

// 0.5 cos(angle) + offset, and how far the kernel's may be from it. __cosf is within 2^-21.19 up
// to pi (CUDA C++ Programming Guide, "Intrinsic Functions"); beyond, its error grows with the
// rounding of the angle, here at most |angle| 2^-21 for the product and the reduction together.
struct Wave {
  double value = 0;
  double tolerance = 0;
};
inline Wave wave(double angle, double offset) {
  const double cosine_error = std::ldexp(1.0, -20) + std::abs(angle) * std::ldexp(1.0, -21);
  return {0.5 * std::cos(angle) + offset, 0.5 * cosine_error + std::ldexp(1.0, -21)};
}

// The pixel of column x and row y of a picture of width x height at `time`, as the unedited
// kernel draws it.
inline ExpectedPixel expected_pixel(unsigned x, unsigned y, unsigned width, unsigned height, float time) {
  const double t = time;
  const double x_part = static_cast<double>(x) / width;
  const double y_part = static_cast<double>(y) / height;
  const Wave calm = wave(t, x_part);
  const Wave by_row = wave(y * t, y_part);
  const Wave by_column = wave(x / 100.0 * t, x_part);

  const auto scaled = [](const Wave& w, double r, double g, double b) {
    return ExpectedPixel{{w.value * r, w.value * g, w.value * b, 1},
                         {w.tolerance * r, w.tolerance * g, w.tolerance * b, 0}};
  };
  constexpr double kConstant = 1e-7;  // a literal's rounding to float
  if (y == 0) return scaled(by_column, 0.3, 1.0, 0.4);
  if (y + 1 == height) return scaled(by_column, 0.6, 0.7, 1.0);
  if (x % 2 == 0) {
    if (x > width / 2) return {{0.1, 0.5, calm.value, 1}, {kConstant, kConstant, calm.tolerance, 0}};
    return {{calm.value, 0.1, 0.2, 1}, {calm.tolerance, kConstant, kConstant, 0}};
  }
  if (x + 1 == width) return scaled(by_row, 1.0, 0.9, 0.6);  // column 0 is even
  return scaled(calm, 0.3, 0.4, 0.6);
}

// Compares a picture, RGBA by rows, with the reference; `red_green_swapped`: with the demo's edit.
// Returns what differs first, or nothing.
inline std::optional<std::string> difference(std::span<const float> picture, unsigned width, unsigned height,
                                             float time, bool red_green_swapped) {
  if (picture.size() != std::size_t{4} * width * height) return "the picture has the wrong size";
  for (unsigned y = 0; y < height; ++y) {
    for (unsigned x = 0; x < width; ++x) {
      const ExpectedPixel expected = expected_pixel(x, y, width, height, time);
      for (std::size_t channel = 0; channel < 4; ++channel) {
        const std::size_t source = red_green_swapped && channel < 2 ? 1 - channel : channel;
        const double found = picture[(std::size_t{y} * width + x) * 4 + channel];
        const double wanted = expected.rgba[source];
        // A NaN must not pass.
        if (!(std::abs(found - wanted) <= expected.tolerance[source])) {
          return fmt::format("pixel ({}, {}) channel {} is {:.7f}, expected {:.7f} within {:.1e}", x, y,
                             "RGBA"[channel], found, wanted, expected.tolerance[source]);
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace sample
