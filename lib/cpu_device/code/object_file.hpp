// The compiled object between compiler and linker: how much shared memory a kernel needs is only known there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cudahot/result.hpp"

namespace cudahot::cpu_device {

struct KernelNeeds {
  std::uint32_t max_threads = 0;          // 0: no bound
  std::uint32_t static_shared_bytes = 0;  // of all __shared__ variables that the kernel can reach
};

struct ObjectNeeds {
  std::vector<KernelNeeds> kernels;    // in the order of the table
  std::vector<std::string> undefined;  // symbols that the linker must find elsewhere
};

// Follows the relocations from each kernel of the table (see host_source.hpp) to the thread-local variables, which are
// the __shared__ ones, writes their size into the table's row, and gives what the rows hold and what else the object
// needs. `object` is a relocatable ELF file with a section for each function and variable. Errors: internal, when it is
// not.
Result<ObjectNeeds> complete_kernel_table(std::string& object, std::size_t kernel_count);

// The section of what only looks like a shared variable: pointers to dynamic shared memory.
inline constexpr const char* kDynamicPointerSection = ".tbss.cudahot_dynamic";

}  // namespace cudahot::cpu_device
