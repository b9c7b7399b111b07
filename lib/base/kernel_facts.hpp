// What a compiled kernel needs and offers, as read from its CUBIN.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace cudahot::base {

struct ParameterFacts {
  std::uint32_t offset = 0;  // bytes from the start of the parameter block
  std::uint32_t size = 0;    // bytes

  friend bool operator==(const ParameterFacts&, const ParameterFacts&) = default;
};

struct KernelFacts {
  std::string lowered_name;               // symbol in the CUBIN
  std::uint32_t registers = 0;            // per thread
  std::uint32_t static_shared_bytes = 0;  // per block, without what the system reserves
  std::uint32_t local_bytes = 0;          // stack frame per thread
  std::uint32_t constant_bytes = 0;       // bank 0 parameter block
  std::uint32_t max_threads = 0;          // from launch bounds; 0: no bound stated
  std::vector<ParameterFacts> parameters;

  friend bool operator==(const KernelFacts&, const KernelFacts&) = default;
};

}  // namespace cudahot::base
