// The ELF level of a CUBIN: sections and symbols, every offset checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/cuda/elf_bytes.hpp"

namespace cudahot::cuda {

struct ElfSection {
  std::string_view name;
  std::uint32_t type = 0;
  std::uint64_t size = 0;  // in memory: NOBITS sections have a size and no content
  std::string_view content;
};

struct ElfSymbol {
  std::string_view name;
  unsigned binding = 0;  // STB_*
  unsigned type = 0;     // STT_*
  unsigned other = 0;
  unsigned section = 0;  // 0: undefined
  std::uint64_t size = 0;
};

// Views into the bytes it was read from.
struct CubinElf {
  bool relocatable = false;
  unsigned arch = 0;
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols;
};

Result<CubinElf> read_cubin_elf(std::string_view bytes);

inline tl::unexpected<Error> damaged_cubin(const std::string& what) {
  return fail(ErrorCode::damaged, "damaged CUBIN: " + what);
}

}  // namespace cudahot::cuda
