// Seal: one digest over the columns of a row, so that damage anywhere in it is noticed.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "lib/base/digest.hpp"

namespace cudahot::cache {

// 16 bytes, high half first, as digests are stored in columns.
std::string to_bytes(const base::Digest& digest);
std::optional<base::Digest> digest_from_bytes(std::string_view bytes);

// XXH3-128 over length:u64 (little-endian) and bytes of each value, in order.
class Seal {
 public:
  Seal& add(std::string_view value);
  base::Digest finish() const { return digester_.finish(); }

 private:
  base::Digester digester_;
};

}  // namespace cudahot::cache
