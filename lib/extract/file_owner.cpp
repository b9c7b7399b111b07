#include "lib/extract/file_owner.hpp"

#include <algorithm>
#include <array>
#include <system_error>

#include "lib/extract/gap_header.hpp"

namespace cudahot::extract {
namespace {

using std::string_view;

std::string real_folder(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(path, error);
  return (error ? path : real).string() + "/";
}

bool starts_with(string_view text, string_view start) { return text.substr(0, start.size()) == start; }

// Folders of /usr/include that belong to the C and C++ libraries and the kernel; other folders
// there hold libraries that a user chose.
constexpr std::array<string_view, 14> kHostFolders{"c++",
                                                   "x86_64-linux-gnu",
                                                   "aarch64-linux-gnu",
                                                   "bits",
                                                   "sys",
                                                   "asm",
                                                   "asm-generic",
                                                   "linux",
                                                   "gnu",
                                                   "arpa",
                                                   "net",
                                                   "netinet",
                                                   "rpc",
                                                   "ext"};

// What NVRTC has built in, or what only the host can use.
constexpr std::array<string_view, 20> kNotForDevice{"cuda_runtime.h",
                                                    "cuda_runtime_api.h",
                                                    "cuda.h",
                                                    "device_launch_parameters.h",
                                                    "vector_types.h",
                                                    "vector_functions.h",
                                                    "driver_types.h",
                                                    "surface_indirect_functions.h",
                                                    "surface_types.h",
                                                    "texture_types.h",
                                                    "nvrtc.h",
                                                    "texture_indirect_functions.h",
                                                    "builtin_types.h",
                                                    "device_functions.h",
                                                    "curand.h",
                                                    "cuda_texture_types.h",
                                                    "math_functions.h",
                                                    "host_defines.h",
                                                    "cudart_platform.h",
                                                    "channel_descriptor.h"};

constexpr std::array<string_view, 18> kHostLibraries{
    "thrust/", "crt/", "nvtx3/", "cublas",        "cufft",           "cusolver", "cusparse", "cudnn",   "nccl",
    "npp",     "nvml", "nvjpeg", "cuda_profiler", "cuda_gl_interop", "cuda_egl", "cudaGL",   "cudaEGL", "nvJitLink"};

}  // namespace

bool is_host_library_header(string_view path) {
  constexpr string_view kInclude = "/include/";
  const std::size_t at = path.rfind(kInclude);
  if (at == string_view::npos) return false;
  const string_view name = path.substr(at + kInclude.size());
  return name == "cuda.h" || name == "curand.h" ||
         std::any_of(kHostLibraries.begin(), kHostLibraries.end(),
                     [&](string_view library) { return starts_with(name, library); });
}

FileOwners::FileOwners(const std::filesystem::path& cuda_root, const std::filesystem::path& cuda_include,
                       const std::filesystem::path& resource_dir)
    : toolkit_include_(real_folder(cuda_include)),
      // A root with headers elsewhere holds other packages, too.
      toolkit_(cuda_include == cuda_root / "include" ? real_folder(cuda_root) : toolkit_include_),
      compiler_(real_folder(resource_dir)) {}

FileOwner FileOwners::owner(string_view path) const {
  if (path == kGapHeaderPath || starts_with(path, compiler_)) return FileOwner::compiler;
  if (starts_with(path, toolkit_include_) || starts_with(path, toolkit_)) return FileOwner::toolkit;
  constexpr string_view kUsrInclude = "/usr/include/";
  if (starts_with(path, kUsrInclude)) {
    const string_view rest = path.substr(kUsrInclude.size());
    const std::size_t slash = rest.find('/');
    if (slash == string_view::npos) return FileOwner::host;
    const string_view folder = rest.substr(0, slash);
    const bool host = std::find(kHostFolders.begin(), kHostFolders.end(), folder) != kHostFolders.end();
    return host ? FileOwner::host : FileOwner::user;
  }
  return starts_with(path, "/usr/lib/") ? FileOwner::host : FileOwner::user;
}

std::string FileOwners::device_include(string_view path) const {
  if (!starts_with(path, toolkit_include_)) return {};
  string_view name = path.substr(toolkit_include_.size());
  if (starts_with(name, "cccl/")) name.remove_prefix(5);
  if (std::find(kNotForDevice.begin(), kNotForDevice.end(), name) != kNotForDevice.end()) return {};
  for (const string_view library : kHostLibraries) {
    if (starts_with(name, library)) return {};
  }
  return std::string(name);
}

}  // namespace cudahot::extract
