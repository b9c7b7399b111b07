#include "tools/cudahot-extract/environment.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lib/base/paths.hpp"

namespace cudahot::extract_tool {
namespace {

namespace fs = std::filesystem;

// The header that Clang puts before every CUDA file; without it nothing parses.
constexpr const char* kMarker = "include/__clang_cuda_runtime_wrapper.h";

bool is_resource_dir(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / kMarker, ignored);
}

bool knows(const cuda::Nvrtc& nvrtc, const region::SmArch& arch) {
  // NVRTC lists plain numbers only. Architecture-specific code came with 9.0, family-specific code with 10.0.
  const unsigned first = arch.suffix == region::SmArch::Suffix::architecture ? 90
                         : arch.suffix == region::SmArch::Suffix::family     ? 100
                                                                             : 0;
  const auto& supported = nvrtc.supported_architectures();
  return arch.number >= first && std::ranges::find(supported, static_cast<int>(arch.number)) != supported.end();
}

}  // namespace

Result<fs::path> find_resource_dir(const std::optional<fs::path>& explicit_folder) {
  if (explicit_folder) {
    if (is_resource_dir(*explicit_folder)) return *explicit_folder;
    return fail(ErrorCode::environment,
                fmt::format("'{}' (--resource-dir) is not Clang's resource folder: it has no {}",
                            explicit_folder->string(), kMarker));
  }
  const fs::path beside = base::executable_path().parent_path().parent_path() / "lib/cudahot/clang";
  for (const fs::path& folder : {beside, fs::path(CUDAHOT_CLANG_RESOURCE_DIR)}) {
    if (is_resource_dir(folder)) return folder;
  }
  return fail(ErrorCode::environment,
              fmt::format("Clang's resource headers are missing: no {} in '{}' or '{}'. Reinstall cudahot, or name the "
                          "folder with --resource-dir.",
                          kMarker, beside.string(), CUDAHOT_CLANG_RESOURCE_DIR));
}

std::vector<region::SmArch> default_architectures(const cuda::Nvrtc* nvrtc) {
  std::vector<region::SmArch> architectures;
  for (const unsigned number : {75u, 80u, 86u, 89u, 90u, 100u, 120u}) {
    const region::SmArch arch{number};
    if (nvrtc == nullptr || knows(*nvrtc, arch)) architectures.push_back(arch);
  }
  return architectures;
}

Status check_architectures(const std::vector<region::SmArch>& architectures, const cuda::Nvrtc& nvrtc) {
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
