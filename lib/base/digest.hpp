// XXH3-128 digests of bytes: names of content, not protection against an attacker.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace cudahot::base {

struct Digest {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  friend auto operator<=>(const Digest&, const Digest&) = default;
};

// XXH3-128, seed 0, canonical (big-endian) order as in xxhash.h's XXH128_canonicalFromHash.
Digest digest(std::string_view bytes);

// 32 lower-case hexadecimal digits, high half first.
std::string to_hex(const Digest& digest);
std::optional<Digest> digest_from_hex(std::string_view hex);

// The same digest over pieces.
class Digester {
 public:
  Digester();
  ~Digester();
  Digester(Digester&&) noexcept;
  Digester& operator=(Digester&&) noexcept;

  void add(std::string_view bytes);
  Digest finish() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cudahot::base

template <>
struct std::hash<cudahot::base::Digest> {
  std::size_t operator()(const cudahot::base::Digest& d) const noexcept {
    return d.low ^ (d.high * 0x9e3779b97f4a7c15ULL);
  }
};
