// FileHeader: what the first 100 bytes of a database file say of it (https://www.sqlite.org/fileformat.html). Knows
// nothing of how they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cudahot::cache {

inline constexpr std::size_t kHeaderBytes = 100;

struct FileHeader {
  std::uint32_t changes = 0;         // goes up with writes, never down
  std::uint32_t identity = 0;        // made up for each user cache, for a bundle of its start section; 0: it has none
  bool gives_pages_back = false;     // made with auto_vacuum, as user caches are and bundles are not
  std::uint64_t database_bytes = 0;  // pages times their size: what stands behind is no part of the database
  std::uint32_t application_id = 0;  // which program the file belongs to; 0: none says so
};

// nullopt: it is not the beginning of an SQLite database.
std::optional<FileHeader> parse_header(std::string_view begin);

}  // namespace cudahot::cache
