#include "cache/compression.hpp"

#include <fmt/format.h>
#include <zstd.h>

namespace cudahot::cache {
namespace {

// Slice texts are up to a few megabytes; a damaged frame may claim anything.
constexpr unsigned long long kLargestText = 256ULL << 20;
constexpr int kLevel = 3;

}  // namespace

Result<std::string> compress(std::string_view text) {
  std::string frame(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(frame.data(), frame.size(), text.data(), text.size(), kLevel);
  if (ZSTD_isError(size) != 0) {
    return fail(ErrorCode::environment,
                fmt::format("cannot compress {} bytes: {}", text.size(), ZSTD_getErrorName(size)));
  }
  frame.resize(size);
  return frame;
}

Result<std::string> decompress(std::string_view frame) {
  const unsigned long long claimed = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (claimed == ZSTD_CONTENTSIZE_ERROR || claimed == ZSTD_CONTENTSIZE_UNKNOWN || claimed > kLargestText) {
    return fail(ErrorCode::damaged, "not a compressed text");
  }
  std::string text(static_cast<std::size_t>(claimed), '\0');
  const std::size_t size = ZSTD_decompress(text.data(), text.size(), frame.data(), frame.size());
  if (ZSTD_isError(size) != 0 || size != text.size()) {
    return fail(ErrorCode::damaged, fmt::format("compressed text is damaged: {}",
                                                ZSTD_isError(size) != 0 ? ZSTD_getErrorName(size) : "cut"));
  }
  return text;
}

}  // namespace cudahot::cache
