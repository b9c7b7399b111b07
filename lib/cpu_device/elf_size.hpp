// What the headers of an ELF file in memory tell.
#pragma once

#include <cstddef>
#include <optional>

namespace cudahot::cpu {

// How many bytes it has: the driver's load functions are not told. nullopt: not a shared object for x86-64.
std::optional<std::size_t> elf_size(const void* image);

// What its thread-local variables, the __shared__ ones, need.
struct SharedLayout {
  std::size_t bytes = 0;
  std::size_t alignment = 1;
};

// `image` has the size that elf_size() told.
SharedLayout shared_layout(const void* image);

}  // namespace cudahot::cpu
