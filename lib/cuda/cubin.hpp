// CUBIN reader: kernels, symbols and device variables of a CUBIN, from its ELF alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/base/kernel_facts.hpp"

namespace cudahot::cuda {

struct CubinSymbol {
  enum class Kind { kernel, function, variable, other };
  enum class Binding { local, global, weak };

  std::string name;
  Kind kind = Kind::other;
  Binding binding = Binding::local;
  bool defined = false;
  std::string section;     // ".nv.global", ".nv.constant3", ".text.NAME"; empty if undefined
  std::uint64_t size = 0;  // bytes
  bool shared = false;     // in shared memory; undefined: the dynamic part, whose size a launch gives
};

struct DeviceVariable {
  enum class Space { global, constant };

  std::string name;
  Space space = Space::global;
  std::uint64_t size = 0;  // bytes
};

struct CubinInfo {
  bool relocatable = false;  // ELF type ET_REL
  unsigned arch = 0;         // 90
  std::vector<base::KernelFacts> kernels;
  std::vector<CubinSymbol> symbols;
  std::vector<DeviceVariable> variables;  // defined ones the driver can find by name
};

// Never reads outside `bytes`, whatever they hold. Errors: damaged, saying what is wrong.
Result<CubinInfo> read_cubin(std::string_view bytes);

}  // namespace cudahot::cuda
