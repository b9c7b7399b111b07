// What identifies a shared library without loading it.
#pragma once

#include <filesystem>
#include <string>

#include "cudahot/result.hpp"

namespace cudahot::cuda {

// "id:HEX" from the ELF note NT_GNU_BUILD_ID; "xxh:HEX", the digest of the content, when the
// file has no such note. Reads only the program headers and notes where there is one.
// Errors: environment (cannot be read).
Result<std::string> file_identity(const std::filesystem::path& file);

}  // namespace cudahot::cuda
