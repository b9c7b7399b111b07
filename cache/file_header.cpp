#include "cache/file_header.hpp"

namespace cudahot::cache {
namespace {

std::uint32_t big_endian(std::string_view bytes, std::size_t offset) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[offset + i]);
  return value;
}

}  // namespace

std::optional<FileHeader> parse_header(std::string_view begin) {
  constexpr std::string_view kMagic{"SQLite format 3", 16};
  if (begin.size() < kHeaderBytes || !begin.starts_with(kMagic)) return std::nullopt;
  const auto field = [begin](std::size_t offset) { return big_endian(begin, offset); };
  // Two fields say so: one damaged bit makes no bundle of a cache.
  const std::uint32_t page = field(16) >> 16;
  const std::uint64_t page_bytes = page == 1 ? 65536 : page;
  return FileHeader{field(24), field(60), field(52) != 0 || field(64) != 0, page_bytes * field(28), field(68)};
}

}  // namespace cudahot::cache
