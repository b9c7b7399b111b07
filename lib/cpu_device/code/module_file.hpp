// Reader of the objects that the CPU device loads: what kernels and variables their table names, from the file alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/base/kernel_facts.hpp"

namespace cudahot::cpu_device {

struct ModuleVariable {
  std::string name;        // mangled
  bool constant = false;   // __constant__; else __device__ or __managed__
  std::uint64_t size = 0;  // bytes
};

struct ModuleContent {
  std::vector<base::KernelFacts> kernels;
  std::vector<ModuleVariable> variables;
};

// Whether the bytes begin as an x86-64 shared object does.
bool is_module_file(std::string_view bytes);

// Runs and loads nothing, and never reads outside `bytes`, whatever they hold. Errors: damaged, saying what is wrong.
Result<ModuleContent> read_module_file(std::string_view bytes);

}  // namespace cudahot::cpu_device
