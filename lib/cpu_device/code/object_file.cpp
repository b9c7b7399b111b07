#include "lib/cpu_device/code/object_file.hpp"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <set>
#include <string_view>

#include "lib/cpu_device/module_abi.h"

namespace cudahot::cpu_device {
namespace {

constexpr std::string_view kTable = "cudahot_cpu_kernels";

// One compiler writes these files, and the linker reads them next: what is checked is that reads stay inside.
class ObjectFile {
 public:
  explicit ObjectFile(std::string& bytes) : bytes_(bytes) {}

  bool parse() {
    const auto header = read<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_type != ET_REL) return false;
    for (std::size_t i = 0; i < header->e_shnum; ++i) {
      const auto section = read<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
      if (!section) return false;
      sections_.push_back(*section);
    }
    section_names_ = header->e_shstrndx;
    edges_.resize(sections_.size());
    return read_symbols() && read_relocations();
  }

  // Where the row of a kernel begins in the file.
  std::optional<std::size_t> row(std::size_t kernel) const {
    if (table_section_ == 0) return std::nullopt;
    return sections_[table_section_].sh_offset + table_offset_ + kernel * sizeof(CudahotCpuKernel);
  }

  // The section of the function that the row calls; 0 if there is none.
  std::size_t entry_section(std::size_t kernel) const {
    const std::size_t place = table_offset_ + kernel * sizeof(CudahotCpuKernel) + offsetof(CudahotCpuKernel, entry);
    for (const auto& edge : edges_[table_section_]) {
      if (edge.offset == place) return edge.to;
    }
    return 0;
  }

  const std::vector<std::string>& undefined() const { return undefined_; }

  std::uint32_t shared_bytes_from(std::size_t section) const {
    std::set<std::size_t> reached;
    std::vector<std::size_t> open{section};
    while (!open.empty()) {
      const std::size_t next = open.back();
      open.pop_back();
      if (!reached.insert(next).second) continue;
      for (const auto& edge : edges_[next]) open.push_back(edge.to);
    }
    std::uint64_t total = 0;
    for (const std::size_t i : reached) {
      const Elf64_Shdr& variable = sections_[i];
      if ((variable.sh_flags & SHF_TLS) == 0 || string(section_names_, variable.sh_name) == kDynamicPointerSection)
        continue;
      const std::uint64_t alignment = variable.sh_addralign == 0 ? 1 : variable.sh_addralign;
      total = (total + alignment - 1) / alignment * alignment + variable.sh_size;
      if (total < variable.sh_size) total = std::numeric_limits<std::uint64_t>::max() / 2;
    }
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
    return static_cast<std::uint32_t>(std::min(total, kMost));
  }

  template <typename T>
  std::optional<T> read(std::size_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
  }

 private:
  struct Edge {
    std::size_t offset;  // of the reference, in its section
    std::size_t to;      // section
  };

  std::string_view string(std::size_t section, std::size_t offset) const {
    if (section >= sections_.size()) return {};
    const std::size_t begin = sections_[section].sh_offset + offset;
    return begin < bytes_.size() ? std::string_view(bytes_.c_str() + begin) : std::string_view();
  }

  bool read_symbols() {
    for (const auto& section : sections_) {
      if (section.sh_type != SHT_SYMTAB) continue;
      for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = read<Elf64_Sym>(section.sh_offset + at);
        if (!symbol) return false;
        const bool defined = symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < sections_.size();
        if (symbol->st_shndx == SHN_UNDEF && symbol->st_name != 0) {
          undefined_.emplace_back(string(section.sh_link, symbol->st_name));
        }
        symbol_sections_.push_back(defined ? symbol->st_shndx : std::size_t{0});
        if (defined && string(section.sh_link, symbol->st_name) == kTable) {
          table_section_ = symbol->st_shndx;
          table_offset_ = symbol->st_value;
        }
      }
    }
    return true;
  }

  bool read_relocations() {
    for (const auto& section : sections_) {
      if (section.sh_type != SHT_RELA || section.sh_info >= sections_.size()) continue;
      for (std::size_t at = 0; at < section.sh_size; at += sizeof(Elf64_Rela)) {
        const auto relocation = read<Elf64_Rela>(section.sh_offset + at);
        if (!relocation || ELF64_R_SYM(relocation->r_info) >= symbol_sections_.size()) return false;
        const std::size_t to = symbol_sections_[ELF64_R_SYM(relocation->r_info)];
        if (to != 0) edges_[section.sh_info].push_back({relocation->r_offset, to});
      }
    }
    return true;
  }

  std::string& bytes_;
  std::vector<Elf64_Shdr> sections_;
  std::size_t section_names_ = 0;
  std::vector<std::string> undefined_;
  std::vector<std::size_t> symbol_sections_;  // 0: not in this file
  std::vector<std::vector<Edge>> edges_;      // by section
  std::size_t table_section_ = 0;
  std::size_t table_offset_ = 0;
};

}  // namespace

Result<ObjectNeeds> complete_kernel_table(std::string& object, std::size_t kernel_count) {
  ObjectFile file(object);
  const auto broken = [] {
    return fail(ErrorCode::internal, "the compiler's object for the CPU device cannot be read");
  };
  if (!file.parse()) return broken();
  ObjectNeeds needs;
  needs.undefined = file.undefined();
  for (std::size_t i = 0; i < kernel_count; ++i) {
    const auto place = file.row(i);
    auto row = place ? file.read<CudahotCpuKernel>(*place) : std::nullopt;
    const std::size_t entry = row ? file.entry_section(i) : 0;
    if (entry == 0) return broken();
    row->static_shared_bytes = file.shared_bytes_from(entry);
    std::memcpy(object.data() + *place, &*row, sizeof(*row));
    needs.kernels.push_back({row->max_threads, row->static_shared_bytes});
  }
  return needs;
}

}  // namespace cudahot::cpu_device
