#include "lib/base/digest.hpp"

#include <array>

#include <xxhash.h>

namespace cudahot::base {

Digest digest(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

std::string to_hex(const Digest& digest) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex(32, '0');
  for (std::size_t i = 0; i < 16; ++i) {
    hex[15 - i] = kDigits[(digest.high >> (4 * i)) & 0xf];
    hex[31 - i] = kDigits[(digest.low >> (4 * i)) & 0xf];
  }
  return hex;
}

std::optional<Digest> digest_from_hex(std::string_view hex) {
  if (hex.size() != 32) return std::nullopt;
  std::array<std::uint64_t, 2> halves{};
  for (std::size_t i = 0; i < 32; ++i) {
    const char c = hex[i];
    std::uint64_t value = 0;
    if (c >= '0' && c <= '9') value = static_cast<std::uint64_t>(c - '0');
    else if (c >= 'a' && c <= 'f') value = static_cast<std::uint64_t>(c - 'a' + 10);
    else return std::nullopt;
    halves[i / 16] = (halves[i / 16] << 4) | value;
  }
  return Digest{halves[0], halves[1]};
}

struct Digester::State {
  XXH3_state_t* xxh = XXH3_createState();
  State() { XXH3_128bits_reset(xxh); }
  ~State() { XXH3_freeState(xxh); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Digester::Digester() : state_(std::make_unique<State>()) {}
Digester::~Digester() = default;
Digester::Digester(Digester&&) noexcept = default;
Digester& Digester::operator=(Digester&&) noexcept = default;

void Digester::add(std::string_view bytes) { XXH3_128bits_update(state_->xxh, bytes.data(), bytes.size()); }

Digest Digester::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return {hash.high64, hash.low64};
}

}  // namespace cudahot::base
