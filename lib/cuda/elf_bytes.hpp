// Bounds-checked reads from the bytes of a 64-bit little-endian ELF file.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <type_traits>

namespace cudahot::cuda {

// The `size` bytes at `offset`; nullopt when they do not lie inside.
inline std::optional<std::string_view> slice_bytes(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || size > bytes.size() - offset) return std::nullopt;
  return bytes.substr(offset, size);
}

template <typename T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  const auto piece = slice_bytes(bytes, offset, sizeof(T));
  if (!piece) return std::nullopt;
  T value;
  std::memcpy(&value, piece->data(), sizeof(T));
  return value;
}

}  // namespace cudahot::cuda
