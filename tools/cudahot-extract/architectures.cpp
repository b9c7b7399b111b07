#include "tools/cudahot-extract/architectures.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lib/cuda/driver.hpp"

namespace cudahot::extract_tool {
namespace {

using region::SmArch;

bool knows(const cuda::Nvrtc& nvrtc, const SmArch& arch) {
  // NVRTC lists plain numbers only. Architecture-specific code came with 9.0, family-specific code with 10.0.
  const unsigned first = arch.suffix == SmArch::Suffix::architecture ? 90
                         : arch.suffix == SmArch::Suffix::family     ? 100
                                                                     : 0;
  const auto& supported = nvrtc.supported_architectures();
  return arch.number >= first && std::ranges::find(supported, static_cast<int>(arch.number)) != supported.end();
}

void add_once(std::vector<SmArch>& list, const SmArch& arch) {
  if (std::ranges::find(list, arch) == list.end()) list.push_back(arch);
}

tl::unexpected<Error> no_gpu(std::string_view why) {
  return fail(ErrorCode::environment,
              fmt::format("the architecture 'native' is that of this machine's GPU, and none is found: {}. Name the "
                          "architecture, as in --arch 90, or --arch cpu-x86-64 for the CPU device.",
                          why));
}

Result<std::vector<SmArch>> native_architectures() {
  const auto driver = cuda::load_driver();
  if (!driver) return no_gpu("the CUDA driver (libcuda.so.1) cannot be loaded");
  const cuda::DriverTable& table = **driver;
  int count = 0;
  CUresult result = table.init(0);
  if (result == CUDA_SUCCESS) result = table.device_get_count(&count);
  std::vector<SmArch> architectures;
  for (int i = 0; i < count && result == CUDA_SUCCESS; ++i) {
    CUdevice device = 0;
    int major = 0;
    int minor = 0;
    result = table.device_get(&device, i);
    if (result == CUDA_SUCCESS)
      result = table.device_get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    if (result == CUDA_SUCCESS)
      result = table.device_get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    if (result == CUDA_SUCCESS) add_once(architectures, SmArch{static_cast<unsigned>(10 * major + minor)});
  }
  if (result != CUDA_SUCCESS) return no_gpu("the driver says " + cuda::describe(table, result));
  if (architectures.empty()) return no_gpu("the driver finds no GPU");
  return architectures;
}

// As nvcc: "all-major" is the first of each generation, and the oldest that there is.
std::vector<SmArch> toolkit_architectures(const cuda::Nvrtc& nvrtc, bool major_only) {
  const auto& supported = nvrtc.supported_architectures();
  const auto oldest = std::ranges::min_element(supported);
  std::vector<SmArch> architectures;
  for (const int number : supported) {
    if (!major_only || number % 10 == 0 || number == *oldest) {
      add_once(architectures, SmArch{static_cast<unsigned>(number)});
    }
  }
  return architectures;
}

}  // namespace

std::vector<SmArch> default_architectures(const cuda::Nvrtc* nvrtc) {
  std::vector<SmArch> architectures;
  for (const unsigned number : {75u, 80u, 86u, 89u, 90u, 100u, 120u}) {
    const SmArch arch{number};
    if (nvrtc == nullptr || knows(*nvrtc, arch)) architectures.push_back(arch);
  }
  return architectures;
}

Result<std::vector<SmArch>> resolve_architectures(const extract::WantedArchitectures& wanted,
                                                  const cuda::Nvrtc& nvrtc) {
  std::vector<SmArch> architectures = wanted.named;
  for (const std::string& name : wanted.open) {
    const auto more = name == "native" ? native_architectures() : toolkit_architectures(nvrtc, name == "all-major");
    if (!more) return fail(more.error());
    for (const SmArch& arch : *more) add_once(architectures, arch);
  }
  return architectures;
}

Status check_architectures(const std::vector<SmArch>& architectures, const cuda::Nvrtc& nvrtc) {
  for (const auto& arch : architectures) {
    if (region::is_cpu(arch) || knows(nvrtc, arch)) continue;
    std::string known;
    for (const int number : nvrtc.supported_architectures())
      known += fmt::format("{}{}", known.empty() ? "" : ", ", number);
    return fail(
        ErrorCode::usage,
        fmt::format("NVRTC {}.{} does not know the architecture {}. It takes {}; from 90 on also with the suffix a, "
                    "from 100 on with f.",
                    nvrtc.major(), nvrtc.minor(), region::to_string(arch), known));
  }
  return {};
}

}  // namespace cudahot::extract_tool
