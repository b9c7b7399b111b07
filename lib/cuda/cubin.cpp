#include "lib/cuda/cubin.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lib/cuda/cubin_elf.hpp"

namespace cudahot::cuda {
namespace {

// Attributes of .nv.info records (NVIDIA does not document them; known from CUBINs of 7.x to 13.x).
constexpr std::uint8_t kMaxThreads = 0x05;
constexpr std::uint8_t kFrameSize = 0x11;
constexpr std::uint8_t kMinStackSize = 0x12;
constexpr std::uint8_t kParameterInfo = 0x17;
constexpr std::uint8_t kParameterBytes = 0x19;
constexpr std::uint8_t kRegisterCount = 0x2f;
constexpr std::uint8_t kFormatWithPayload = 4;

// From sm_90 on the system reserves this much of each block's shared memory, and the section of a
// linked CUBIN includes it.
constexpr std::uint64_t kReservedSharedBytes = 1024;

struct InfoRecord {
  std::uint8_t attribute = 0;
  std::uint16_t value = 0;   // formats without payload
  std::string_view payload;  // format 4
};

Result<std::vector<InfoRecord>> read_records(std::string_view bytes, std::string_view section) {
  std::vector<InfoRecord> records;
  std::uint64_t at = 0;
  while (at < bytes.size()) {
    const auto format = read_at<std::uint8_t>(bytes, at);
    const auto attribute = read_at<std::uint8_t>(bytes, at + 1);
    const auto value = read_at<std::uint16_t>(bytes, at + 2);
    if (!value) return damaged_cubin(fmt::format("section {} ends inside a record", section));
    at += 4;
    InfoRecord record{*attribute, *value, {}};
    if (*format == kFormatWithPayload) {
      const auto payload = slice_bytes(bytes, at, *value);
      if (!payload) return damaged_cubin(fmt::format("section {} ends inside a record", section));
      record.payload = *payload;
      at += *value;
    }
    records.push_back(record);
  }
  return records;
}

base::KernelFacts* find_kernel(std::vector<base::KernelFacts>& kernels, std::string_view name) {
  const auto found = std::ranges::find(kernels, name, &base::KernelFacts::lowered_name);
  return found == kernels.end() ? nullptr : &*found;
}

std::uint32_t clamp32(std::uint64_t value) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(value, UINT32_MAX));
}

// .nv.info: {symbol, number} records about all functions.
Status read_common_info(const CubinElf& elf, std::string_view section, std::string_view bytes,
                        std::vector<base::KernelFacts>& kernels) {
  const auto records = read_records(bytes, section);
  if (!records) return fail(records.error());
  for (const InfoRecord& record : *records) {
    if (record.attribute != kRegisterCount && record.attribute != kFrameSize && record.attribute != kMinStackSize) {
      continue;
    }
    const auto symbol = read_at<std::uint32_t>(record.payload, 0);
    const auto number = read_at<std::uint32_t>(record.payload, 4);
    if (!symbol || !number || *symbol >= elf.symbols.size()) {
      return damaged_cubin(fmt::format("section {} has a malformed record 0x{:02x}", section, record.attribute));
    }
    base::KernelFacts* kernel = find_kernel(kernels, elf.symbols[*symbol].name);
    if (kernel == nullptr) continue;
    if (record.attribute == kRegisterCount) kernel->registers = *number;
    else kernel->local_bytes = std::max(kernel->local_bytes, *number);
  }
  return {};
}

// .nv.info.KERNEL: parameters and launch bounds.
Status read_kernel_info(std::string_view section, std::string_view bytes, base::KernelFacts& kernel) {
  const auto records = read_records(bytes, section);
  if (!records) return fail(records.error());
  struct Parameter {
    std::uint16_t ordinal;
    base::ParameterFacts facts;
  };
  std::vector<Parameter> parameters;
  for (const InfoRecord& record : *records) {
    if (record.attribute == kParameterBytes && record.payload.empty()) {
      kernel.constant_bytes = record.value;
    } else if (record.attribute == kMaxThreads && record.payload.size() >= 12) {
      std::uint64_t threads = 1;
      for (std::uint64_t i = 0; i < 3; ++i) {
        threads = std::min<std::uint64_t>(threads * *read_at<std::uint32_t>(record.payload, 4 * i), UINT32_MAX);
      }
      kernel.max_threads = clamp32(threads);
    } else if (record.attribute == kParameterInfo) {
      const auto ordinal = read_at<std::uint16_t>(record.payload, 4);
      const auto offset = read_at<std::uint16_t>(record.payload, 6);
      const auto packed = read_at<std::uint32_t>(record.payload, 8);
      if (!packed) return damaged_cubin(fmt::format("section {} has a malformed parameter record", section));
      parameters.push_back({*ordinal, {*offset, *packed >> 18}});
    }
  }
  std::ranges::sort(parameters, {}, &Parameter::ordinal);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].ordinal != i) return damaged_cubin(fmt::format("section {} lacks parameter {}", section, i));
    kernel.parameters.push_back(parameters[i].facts);
  }
  return {};
}

constexpr unsigned kSharedFlag = 0x40;  // of st_other

CubinSymbol::Kind kind_of(const ElfSymbol& symbol) {
  constexpr unsigned kFunctionType = 2;
  constexpr unsigned kObjectType = 1;
  constexpr unsigned kCudaObjectType = 13;  // relocatable CUBINs of 13.x
  constexpr unsigned kEntryFlag = 0x10;
  if (symbol.type == kFunctionType) {
    return (symbol.other & kEntryFlag) != 0 ? CubinSymbol::Kind::kernel : CubinSymbol::Kind::function;
  }
  if (symbol.type == kObjectType || symbol.type == kCudaObjectType) return CubinSymbol::Kind::variable;
  return CubinSymbol::Kind::other;
}

CubinSymbol::Binding binding_of(const ElfSymbol& symbol) {
  switch (symbol.binding) {
    case 0:
      return CubinSymbol::Binding::local;
    case 1:
      return CubinSymbol::Binding::global;
    default:
      return CubinSymbol::Binding::weak;
  }
}

void add_symbols(const CubinElf& elf, CubinInfo& info) {
  for (const ElfSymbol& symbol : elf.symbols) {
    if (symbol.name.empty()) continue;
    CubinSymbol out;
    out.name = symbol.name;
    out.kind = kind_of(symbol);
    out.binding = binding_of(symbol);
    out.defined = symbol.section != 0;
    out.shared = out.kind == CubinSymbol::Kind::variable && (symbol.other & kSharedFlag) != 0;
    out.size = symbol.size;
    if (out.defined && symbol.section < elf.sections.size()) out.section = elf.sections[symbol.section].name;
    if (out.defined && out.kind == CubinSymbol::Kind::kernel) {
      info.kernels.emplace_back().lowered_name = out.name;
    }
    const bool global_memory = out.section == ".nv.global" || out.section == ".nv.global.init";
    const bool constant_memory = out.section == ".nv.constant3";
    // Whole-program CUBINs bind every variable locally, and the driver finds them all the same;
    // names with '$' are the compiler's own, such as string literals.
    const bool reachable = !info.relocatable || out.binding != CubinSymbol::Binding::local;
    if (out.kind == CubinSymbol::Kind::variable && reachable && out.name.front() != '$' &&
        (global_memory || constant_memory)) {
      const auto space = constant_memory ? DeviceVariable::Space::constant : DeviceVariable::Space::global;
      info.variables.push_back({out.name, space, out.size});
    }
    info.symbols.push_back(std::move(out));
  }
}

}  // namespace

Result<CubinInfo> read_cubin(std::string_view bytes) {
  auto elf = read_cubin_elf(bytes);
  if (!elf) return fail(std::move(elf.error()));
  CubinInfo info;
  info.relocatable = elf->relocatable;
  info.arch = elf->arch;
  add_symbols(*elf, info);

  constexpr std::string_view kInfo = ".nv.info.";
  constexpr std::string_view kShared = ".nv.shared.";
  for (const ElfSection& section : elf->sections) {
    const std::string_view name = section.name;
    if (name == ".nv.info") {
      if (auto read = read_common_info(*elf, name, section.content, info.kernels); !read) return fail(read.error());
    } else if (name.starts_with(kInfo)) {
      if (auto* kernel = find_kernel(info.kernels, name.substr(kInfo.size()))) {
        if (auto read = read_kernel_info(name, section.content, *kernel); !read) return fail(read.error());
      }
    } else if (name.starts_with(kShared)) {
      if (auto* kernel = find_kernel(info.kernels, name.substr(kShared.size()))) {
        const bool reserved = !info.relocatable && info.arch >= 90;
        const std::uint64_t system = reserved ? std::min(section.size, kReservedSharedBytes) : 0;
        kernel->static_shared_bytes = clamp32(section.size - system);
      }
    }
  }
  return info;
}

}  // namespace cudahot::cuda
