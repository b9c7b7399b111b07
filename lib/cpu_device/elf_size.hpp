// How many bytes an ELF file in memory has, from its own headers: the driver's load functions
// are not told.
#pragma once

#include <cstddef>
#include <optional>

namespace cudahot::cpu {

// nullopt: not a shared object for x86-64.
std::optional<std::size_t> elf_size(const void* image);

}  // namespace cudahot::cpu
