// FileList: the files and lookups of a slice in a form that is read fast: a source can include hundreds of headers, and
// a program that starts reads them all.
//
// Grammar (version kFileListVersion; all integers little-endian):
//   list   := version:u8 files:u32 file* lookups:u32 lookup*
//   file   := role:u8 content:u8[16] outside_regions:u8[16] path virtual_name
//   lookup := found:u8 path
//   path, virtual_name := length:u32 bytes[length]
// Roles: 0 main, 1 user header, 2 device header, 3 device runtime, 4 other. Digests have their high half first, each
// half most significant byte first.
#pragma once

#include <string>
#include <string_view>

#include "cudahot/result.hpp"
#include "lib/region/slice.hpp"

namespace cudahot::region {

inline constexpr unsigned char kFileListVersion = 1;

std::string to_file_list(const Slice& slice);

// Sets the slice's files and lookups. Errors: damaged.
Status read_file_list(std::string_view bytes, Slice& slice);

}  // namespace cudahot::region
