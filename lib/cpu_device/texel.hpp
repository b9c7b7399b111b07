// Elements of textures as the texture unit returns them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "lib/cpu_device/driver_api.hpp"

namespace cudahot::cpu {

struct TexelFormat {
  CUarray_format format = CU_AD_FORMAT_FLOAT;
  unsigned channels = 1;
  // Whether integers are returned as they are; else 8- and 16-bit ones become [0, 1] or [-1, 1].
  bool raw = false;
};

// Whether the components are 32-bit integers: of 32-bit integer formats always, of smaller ones
// when they are read as integers.
bool is_raw(CUarray_format format, bool read_as_integer);

// Components that the format lacks are 0.
std::array<float, 4> float_texel(const TexelFormat& format, const std::byte* element);
std::array<std::uint32_t, 4> raw_texel(const TexelFormat& format, const std::byte* element);

}  // namespace cudahot::cpu
