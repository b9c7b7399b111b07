#include "cache/seal.hpp"

#include <array>
#include <cstdint>

namespace cudahot::cache {
namespace {

constexpr std::size_t kHalf = 8;

void put_big_endian(char* out, std::uint64_t value) {
  for (std::size_t i = 0; i < kHalf; ++i) out[kHalf - 1 - i] = static_cast<char>((value >> (8 * i)) & 0xff);
}

std::uint64_t get_big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < kHalf; ++i) value = (value << 8) | static_cast<unsigned char>(bytes[i]);
  return value;
}

}  // namespace

std::string to_bytes(const base::Digest& digest) {
  std::string bytes(2 * kHalf, '\0');
  put_big_endian(bytes.data(), digest.high);
  put_big_endian(bytes.data() + kHalf, digest.low);
  return bytes;
}

std::optional<base::Digest> digest_from_bytes(std::string_view bytes) {
  if (bytes.size() != 2 * kHalf) return std::nullopt;
  return base::Digest{get_big_endian(bytes), get_big_endian(bytes.substr(kHalf))};
}

Seal& Seal::add(std::string_view value) {
  std::array<char, kHalf> length{};
  for (std::size_t i = 0; i < kHalf; ++i) {
    length[i] = static_cast<char>((static_cast<std::uint64_t>(value.size()) >> (8 * i)) & 0xff);
  }
  digester_.add({length.data(), length.size()});
  digester_.add(value);
  return *this;
}

}  // namespace cudahot::cache
