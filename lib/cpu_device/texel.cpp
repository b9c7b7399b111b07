#include "lib/cpu_device/texel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "lib/cpu_device/array.hpp"

namespace cudahot::cpu {
namespace {

template <typename Value>
Value load(const std::byte* place) {
  Value value;
  std::memcpy(&value, place, sizeof value);
  return value;
}

float half_to_float(std::uint16_t half) {
  const float sign = (half & 0x8000U) != 0 ? -1.0F : 1.0F;
  const int exponent = half >> 10 & 0x1f;
  const int mantissa = half & 0x3ff;
  if (exponent == 0x1f) return mantissa != 0 ? std::nanf("") : sign * HUGE_VALF;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(mantissa), -24);
  return sign * std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
}

float channel(CUarray_format format, const std::byte* place) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return static_cast<float>(load<std::uint8_t>(place)) / 255.0F;
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return static_cast<float>(load<std::uint16_t>(place)) / 65535.0F;
    case CU_AD_FORMAT_SIGNED_INT8:
      return std::max(static_cast<float>(load<std::int8_t>(place)) / 127.0F, -1.0F);
    case CU_AD_FORMAT_SIGNED_INT16:
      return std::max(static_cast<float>(load<std::int16_t>(place)) / 32767.0F, -1.0F);
    case CU_AD_FORMAT_HALF:
      return half_to_float(load<std::uint16_t>(place));
    default:
      return load<float>(place);
  }
}

std::uint32_t raw_channel(CUarray_format format, const std::byte* place) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
      return load<std::uint8_t>(place);
    case CU_AD_FORMAT_UNSIGNED_INT16:
      return load<std::uint16_t>(place);
    case CU_AD_FORMAT_SIGNED_INT8:
      return static_cast<std::uint32_t>(std::int32_t{load<std::int8_t>(place)});
    case CU_AD_FORMAT_SIGNED_INT16:
      return static_cast<std::uint32_t>(std::int32_t{load<std::int16_t>(place)});
    default:
      return load<std::uint32_t>(place);
  }
}

}  // namespace

bool is_raw(CUarray_format format, bool read_as_integer) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
      return true;
    case CU_AD_FORMAT_HALF:
    case CU_AD_FORMAT_FLOAT:
      return false;
    default:
      return read_as_integer;
  }
}

std::array<float, 4> float_texel(const TexelFormat& format, const std::byte* element) {
  std::array<float, 4> texel{};
  const std::size_t bytes = *channel_bytes(format.format);
  for (unsigned index = 0; index < format.channels; ++index)
    texel[index] = channel(format.format, element + index * bytes);
  return texel;
}

std::array<std::uint32_t, 4> raw_texel(const TexelFormat& format, const std::byte* element) {
  std::array<std::uint32_t, 4> texel{};
  const std::size_t bytes = *channel_bytes(format.format);
  for (unsigned index = 0; index < format.channels; ++index) {
    texel[index] = raw_channel(format.format, element + index * bytes);
  }
  return texel;
}

}  // namespace cudahot::cpu
