#include "lib/cpu_device/code/module_file.hpp"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "lib/cpu_device/module_abi.h"

namespace cudahot::cpu_device {
namespace {

constexpr std::string_view kModule = "cudahot_cpu_module";
constexpr std::size_t kMostRows = 65536;  // of a table; more is damage

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorCode::damaged, fmt::format("not an object for the CPU device: {}", what));
}

template <typename T>
std::optional<T> read_at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// A shared object as the loader would lay it out: read by address, with the pointers that it would relocate.
class Image {
 public:
  explicit Image(std::string_view bytes) : bytes_(bytes) {}

  bool parse() {
    const auto header = read_at<Elf64_Ehdr>(bytes_, 0);
    if (!header || header->e_phentsize != sizeof(Elf64_Phdr) || header->e_shentsize != sizeof(Elf64_Shdr)) return false;
    for (std::uint64_t i = 0; i < header->e_phnum; ++i) {
      const auto segment = read_at<Elf64_Phdr>(bytes_, header->e_phoff + i * sizeof(Elf64_Phdr));
      if (!segment) return false;
      if (segment->p_type == PT_LOAD) segments_.push_back(*segment);
    }
    for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
      const auto section = read_at<Elf64_Shdr>(bytes_, header->e_shoff + i * sizeof(Elf64_Shdr));
      if (!section) return false;
      sections_.push_back(*section);
    }
    return read_relocations();
  }

  // The address of an exported object; 0 when there is none.
  std::uint64_t find(std::string_view name) const {
    for (const auto& section : sections_) {
      if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections_.size()) continue;
      for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= section.sh_size; at += sizeof(Elf64_Sym)) {
        const auto symbol = read_at<Elf64_Sym>(bytes_, section.sh_offset + at);
        if (!symbol) return 0;
        if (symbol->st_shndx == SHN_UNDEF) continue;
        const auto text = string_at(sections_[section.sh_link].sh_offset + symbol->st_name);
        if (text && *text == name) return symbol->st_value;
      }
    }
    return 0;
  }

  template <typename T>
  std::optional<T> value(std::uint64_t address) const {
    const auto offset = offset_of(address, sizeof(T));
    return offset ? read_at<T>(bytes_, *offset) : std::nullopt;
  }

  // Where a pointer that lies at `address` will point; 0: null, or into another object.
  std::uint64_t pointer(std::uint64_t address) const {
    const auto found = relocations_.find(address);
    return found == relocations_.end() ? 0 : found->second;
  }

  std::optional<std::string_view> string(std::uint64_t address) const {
    const auto offset = offset_of(address, 1);
    return offset ? string_at(*offset) : std::nullopt;
  }

 private:
  std::optional<std::uint64_t> offset_of(std::uint64_t address, std::uint64_t size) const {
    for (const auto& segment : segments_) {
      if (address < segment.p_vaddr || address - segment.p_vaddr > segment.p_filesz) continue;
      if (segment.p_filesz - (address - segment.p_vaddr) < size) continue;
      return segment.p_offset + (address - segment.p_vaddr);
    }
    return std::nullopt;
  }

  std::optional<std::string_view> string_at(std::uint64_t offset) const {
    if (offset >= bytes_.size()) return std::nullopt;
    const std::string_view rest = bytes_.substr(offset);
    const std::size_t end = rest.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    return rest.substr(0, end);
  }

  bool read_relocations() {
    for (const auto& section : sections_) {
      if (section.sh_type != SHT_RELA) continue;
      for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size; at += sizeof(Elf64_Rela)) {
        const auto relocation = read_at<Elf64_Rela>(bytes_, section.sh_offset + at);
        if (!relocation) return false;
        if (ELF64_R_TYPE(relocation->r_info) == R_X86_64_RELATIVE) {
          relocations_[relocation->r_offset] = static_cast<std::uint64_t>(relocation->r_addend);
        }
      }
    }
    return true;
  }

  std::string_view bytes_;
  std::vector<Elf64_Phdr> segments_;
  std::vector<Elf64_Shdr> sections_;
  std::map<std::uint64_t, std::uint64_t> relocations_;
};

std::optional<base::KernelFacts> read_kernel(const Image& image, std::uint64_t row) {
  const auto kernel = image.value<CudahotCpuKernel>(row);
  const auto name = image.string(image.pointer(row + offsetof(CudahotCpuKernel, name)));
  if (!kernel || !name || kernel->parameter_count > kMostRows) return std::nullopt;
  base::KernelFacts facts;
  facts.lowered_name = *name;
  facts.max_threads = kernel->max_threads;
  facts.static_shared_bytes = kernel->static_shared_bytes;
  const std::uint64_t parameters = image.pointer(row + offsetof(CudahotCpuKernel, parameters));
  for (std::uint64_t i = 0; i < kernel->parameter_count; ++i) {
    const auto parameter = image.value<CudahotCpuParameter>(parameters + i * sizeof(CudahotCpuParameter));
    if (!parameter) return std::nullopt;
    facts.parameters.push_back({parameter->offset, parameter->size});
    facts.constant_bytes = std::max(facts.constant_bytes, parameter->offset + parameter->size);
  }
  return facts;
}

std::optional<ModuleVariable> read_variable(const Image& image, std::uint64_t row) {
  const auto variable = image.value<CudahotCpuVariable>(row);
  const auto name = image.string(image.pointer(row + offsetof(CudahotCpuVariable, name)));
  if (!variable || !name) return std::nullopt;
  return ModuleVariable{std::string(*name), variable->space == CUDAHOT_CPU_CONSTANT, variable->size};
}

}  // namespace

bool is_module_file(std::string_view bytes) {
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  return header && std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS64 &&
         header->e_machine == EM_X86_64 && header->e_type == ET_DYN;
}

Result<ModuleContent> read_module_file(std::string_view bytes) {
  if (!is_module_file(bytes)) return damaged("no x86-64 shared object");
  Image image(bytes);
  if (!image.parse()) return damaged("its headers or relocations lie outside the file");
  const std::uint64_t place = image.find(kModule);
  const auto module = place != 0 ? image.value<CudahotCpuModule>(place) : std::nullopt;
  if (!module) return damaged(fmt::format("no symbol {}", kModule));
  if (module->abi_version != CUDAHOT_CPU_ABI_VERSION) {
    return damaged(fmt::format("its table has version {}, this program knows {}", module->abi_version,
                               static_cast<int>(CUDAHOT_CPU_ABI_VERSION)));
  }
  if (module->kernel_count > kMostRows || module->variable_count > kMostRows) return damaged("its table is too long");
  ModuleContent content;
  const std::uint64_t kernels = image.pointer(place + offsetof(CudahotCpuModule, kernels));
  for (std::uint64_t i = 0; i < module->kernel_count; ++i) {
    auto kernel = read_kernel(image, kernels + i * sizeof(CudahotCpuKernel));
    if (!kernel) return damaged(fmt::format("kernel {} of its table lies outside the file", i));
    content.kernels.push_back(std::move(*kernel));
  }
  const std::uint64_t variables = image.pointer(place + offsetof(CudahotCpuModule, variables));
  for (std::uint64_t i = 0; i < module->variable_count; ++i) {
    auto variable = read_variable(image, variables + i * sizeof(CudahotCpuVariable));
    if (!variable) return damaged(fmt::format("variable {} of its table lies outside the file", i));
    content.variables.push_back(std::move(*variable));
  }
  return content;
}

}  // namespace cudahot::cpu_device
