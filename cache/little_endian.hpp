// Integers in files: u64, little-endian.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace cudahot::cache {

inline constexpr std::size_t kLittleEndianBytes = 8;

inline void append_little_endian(std::string& bytes, std::uint64_t value) {
  for (std::size_t i = 0; i < kLittleEndianBytes; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xff);
}

// Of the first eight bytes, which are there.
inline std::uint64_t read_little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = kLittleEndianBytes; i-- > 0;) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace cudahot::cache
