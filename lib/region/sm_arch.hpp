// Architectures that kernels are built for. GPUs' as NVIDIA names them: a number and, for architecture- or
// family-specific code, the suffix 'a' or 'f'. And that of the CPU device (docs/cpu-device.md).
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "cudahot/result.hpp"

namespace cudahot::region {

struct SmArch {
  enum class Suffix { none, family, architecture };  // "", "f", "a"
  enum class Device { gpu, cpu };

  unsigned number = 0;  // 10 * major + minor: 90, 120; 0 for the CPU device
  Suffix suffix = Suffix::none;
  Device device = Device::gpu;

  unsigned major() const { return number / 10; }
  unsigned minor() const { return number % 10; }
  friend auto operator<=>(const SmArch&, const SmArch&) = default;
};

// The architecture of the CPU device.
inline constexpr SmArch kCpuX86_64{0, SmArch::Suffix::none, SmArch::Device::cpu};

constexpr bool is_cpu(const SmArch& arch) { return arch.device == SmArch::Device::cpu; }

// "sm_90a", "compute_90", "90a", "9.0", "cpu-x86-64" -> SmArch. Errors: usage, with what is accepted.
Result<SmArch> parse_sm_arch(std::string_view text);

// A list with ',' or ';' between entries; duplicates dropped, order kept. Errors: usage.
Result<std::vector<SmArch>> parse_sm_arch_list(std::string_view text);

std::string to_string(const SmArch& arch);  // "sm_90a", "cpu-x86-64"

// Whether a CUBIN for `code` runs on a device of plain compute capability `device`:
// same major and minor not above the device's; 'a' needs the exact number; 'f' the same major
// and minor not above. (CUDA C++ Programming Guide, "Binary Compatibility" and "Feature Set".)
// Code for the CPU device runs there only, and nothing else does.
bool runs_on(const SmArch& code, const SmArch& device);

// The best of `available` for `device`: exact 'a', 'f' before plain at equal number, then the
// highest number; nullptr when none runs.
const SmArch* best_for(const SmArch& device, const std::vector<SmArch>& available);

}  // namespace cudahot::region
