// Preimage and key: everything that decides the bytes of an artifact, in one byte string.
//
// Grammar (version kPreimageVersion; all integers little-endian):
//   preimage := field*
//   field    := tag:u8[4] length:u64 bytes[length]
// Tags are four ASCII characters; docs/cache-format.md lists them. Fields appear in the order of the functions below;
// list fields repeat their tag once per element, in order. Because every field is length-prefixed, no two different
// lists of fields give the same bytes.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/base/digest.hpp"
#include "lib/base/toolkit_identity.hpp"
#include "lib/region/slice.hpp"
#include "lib/region/tier.hpp"

namespace cudahot::cache {

inline constexpr int kPreimageVersion = 2;

struct Field {
  std::string tag;  // four characters
  std::string bytes;
};

class Preimage {
 public:
  void add(std::string_view tag, std::string_view bytes);  // tag: exactly four characters
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// Errors: damaged (a length past the end).
Result<std::vector<Field>> parse_preimage(std::string_view bytes);

struct CacheKey {
  base::Digest digest;   // XXH3-128 of preimage
  std::string preimage;  // compared on a hit: a collision is a miss

  friend bool operator==(const CacheKey&, const CacheKey&) = default;
};

CacheKey make_key(const Preimage& preimage);

// The key of a hot CUBIN. Fields, in order: preimage version, artifact kind "cubin", architecture,
// tier, slice text, each segment (quick tier only: kind and offsets), each option, each kernel
// (name, name expression, mangled name), NVRTC identity, nvJitLink identity, each device header
// (only where uses_device_headers: virtual name and content digest), the device runtime's library (only where used:
// content digest), whether the helper library is used, its digest. Absolute paths are not in it except as far as they
// are in the text.
CacheKey cubin_key(const region::Slice& slice, const region::SmArch& arch, region::Tier tier,
                   const base::ToolkitIdentity& toolkit, const base::Digest& helper_library);

// The key of the helper library for one architecture in one form ("cubin" or "ltoir").
CacheKey helper_library_key(std::string_view form, const region::SmArch& arch, const base::ToolkitIdentity& toolkit,
                            const base::Digest& source_digest);

}  // namespace cudahot::cache
