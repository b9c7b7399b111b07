#include "lib/cpu_device/elf_size.hpp"

#include <algorithm>
#include <cstring>

#include <elf.h>

namespace cudahot::cpu {

std::optional<std::size_t> elf_size(const void* image) {
  constexpr std::size_t kMost = std::size_t{1} << 32;
  const auto* bytes = static_cast<const unsigned char*>(image);
  // Byte by byte at first: the caller may have given a text of a few characters.
  for (std::size_t index = 0; index < SELFMAG; ++index) {
    if (bytes[index] != static_cast<unsigned char>(ELFMAG[index])) return std::nullopt;
  }
  if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB) return std::nullopt;
  Elf64_Ehdr header;
  std::memcpy(&header, bytes, sizeof header);
  if (header.e_machine != EM_X86_64 || header.e_type != ET_DYN) return std::nullopt;
  if (header.e_phentsize != sizeof(Elf64_Phdr) || (header.e_shnum != 0 && header.e_shentsize != sizeof(Elf64_Shdr))) {
    return std::nullopt;
  }
  std::size_t size = sizeof header;
  const auto cover = [&](std::size_t offset, std::size_t count) {
    if (offset > kMost || count > kMost) return false;
    size = std::max(size, offset + count);
    return true;
  };
  if (!cover(header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr))) return std::nullopt;
  if (!cover(header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr))) return std::nullopt;
  for (std::size_t index = 0; index < header.e_phnum; ++index) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes + header.e_phoff + index * sizeof segment, sizeof segment);
    if (!cover(segment.p_offset, segment.p_filesz)) return std::nullopt;
  }
  for (std::size_t index = 0; index < header.e_shnum; ++index) {
    Elf64_Shdr section;
    std::memcpy(&section, bytes + header.e_shoff + index * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS && !cover(section.sh_offset, section.sh_size)) return std::nullopt;
  }
  return size;
}

SharedLayout shared_layout(const void* image) {
  const auto* bytes = static_cast<const unsigned char*>(image);
  Elf64_Ehdr header;
  std::memcpy(&header, bytes, sizeof header);
  for (std::size_t index = 0; index < header.e_phnum; ++index) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes + header.e_phoff + index * sizeof segment, sizeof segment);
    if (segment.p_type == PT_TLS) return {segment.p_memsz, std::max<std::size_t>(segment.p_align, 1)};
  }
  return {};
}

}  // namespace cudahot::cpu
