#include "lib/cuda/cubin_elf.hpp"

#include <elf.h>

#include <optional>

#include <fmt/format.h>

namespace cudahot::cuda {
namespace {

constexpr std::uint16_t kCudaMachine = 190;    // EM_CUDA
constexpr unsigned char kOsAbiSince13 = 0x41;  // the architecture is in bits 8-15 of the flags, earlier in 0-7

// The zero-terminated string at `offset` of a string table; nullopt when it does not end inside.
std::optional<std::string_view> string_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return std::nullopt;
  const std::size_t end = table.find('\0', offset);
  if (end == std::string_view::npos) return std::nullopt;
  return table.substr(offset, end - offset);
}

Result<std::vector<ElfSection>> read_sections(std::string_view bytes, const Elf64_Ehdr& header,
                                              std::vector<Elf64_Shdr>& raw) {
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return damaged_cubin("section headers of an unknown size");
  const auto table = slice_bytes(bytes, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr));
  if (!table) return damaged_cubin("section headers lie past the end");
  for (unsigned i = 0; i < header.e_shnum; ++i) raw.push_back(*read_at<Elf64_Shdr>(*table, i * sizeof(Elf64_Shdr)));

  std::vector<ElfSection> sections;
  for (const Elf64_Shdr& entry : raw) {
    ElfSection section;
    section.type = entry.sh_type;
    section.size = entry.sh_size;
    if (entry.sh_type != SHT_NOBITS && entry.sh_type != SHT_NULL && entry.sh_size != 0) {
      const auto content = slice_bytes(bytes, entry.sh_offset, entry.sh_size);
      // Relocatable CUBINs give .nv.shared sections of their own type a size without content.
      if (content) section.content = *content;
      else if (entry.sh_type < SHT_LOPROC) return damaged_cubin("a section lies past the end");
    }
    sections.push_back(section);
  }
  if (header.e_shstrndx >= sections.size()) return damaged_cubin("no section names");
  const std::string_view names = sections[header.e_shstrndx].content;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (raw[i].sh_type == SHT_NULL) continue;
    const auto name = string_at(names, raw[i].sh_name);
    if (!name) return damaged_cubin("a section name lies past the end");
    sections[i].name = *name;
  }
  return sections;
}

Result<std::vector<ElfSymbol>> read_symbols(const std::vector<ElfSection>& sections, const Elf64_Shdr& table,
                                            std::string_view content) {
  if (table.sh_link >= sections.size()) return damaged_cubin("the symbol table has no names");
  const std::string_view names = sections[table.sh_link].content;
  std::vector<ElfSymbol> symbols;
  symbols.reserve(content.size() / sizeof(Elf64_Sym));
  for (std::uint64_t at = 0; const auto entry = read_at<Elf64_Sym>(content, at); at += sizeof(Elf64_Sym)) {
    const auto name = string_at(names, entry->st_name);
    if (!name) return damaged_cubin("a symbol name lies past the end");
    symbols.push_back({*name, ELF64_ST_BIND(entry->st_info), ELF64_ST_TYPE(entry->st_info), entry->st_other,
                       entry->st_shndx, entry->st_size});
  }
  return symbols;
}

}  // namespace

Result<CubinElf> read_cubin_elf(std::string_view bytes) {
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (!header) return damaged_cubin("shorter than an ELF header");
  if (bytes.substr(0, SELFMAG) != ELFMAG) return damaged_cubin("not an ELF file");
  if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
    return damaged_cubin("not a 64-bit little-endian ELF file");
  }
  if (header->e_machine != kCudaMachine) {
    return damaged_cubin(fmt::format("not for a CUDA device (ELF machine {})", header->e_machine));
  }
  CubinElf elf;
  elf.relocatable = header->e_type == ET_REL;
  elf.arch = header->e_ident[EI_OSABI] == kOsAbiSince13 ? (header->e_flags >> 8) & 0xff : header->e_flags & 0xff;
  std::vector<Elf64_Shdr> raw;
  auto sections = read_sections(bytes, *header, raw);
  if (!sections) return fail(std::move(sections.error()));
  elf.sections = std::move(*sections);
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i].sh_type != SHT_SYMTAB) continue;
    auto symbols = read_symbols(elf.sections, raw[i], elf.sections[i].content);
    if (!symbols) return fail(std::move(symbols.error()));
    elf.symbols = std::move(*symbols);
    return elf;
  }
  return damaged_cubin("no symbol table");
}

}  // namespace cudahot::cuda
