// The one CUDA toolkit that everything comes from: headers, NVRTC, nvJitLink.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cudahot/result.hpp"

namespace cudahot::cuda {

struct Toolkit {
  std::filesystem::path root;
  std::filesystem::path include;         // has cuda.h: root/include, or one for its target
  std::filesystem::path cccl;            // include/cccl where it exists, else empty
  std::filesystem::path nvrtc;           // absolute path of libnvrtc.so.*, symlinks kept
  std::filesystem::path nvrtc_builtins;  // beside it, or beside what it is a link to
  std::filesystem::path nvjitlink;       // absolute path of libnvJitLink.so.*
  std::filesystem::path device_runtime;  // libcudadevrt.a, for launches from device code; empty where there is none
  unsigned version_major = 0;            // from CUDART/CUDA_VERSION in cuda.h
  unsigned version_minor = 0;
  std::string found_by;  // "CUDAHOT_TOOLKIT", "CUDA_HOME", "nvcc on PATH", ...
};

// The first of: `explicit_root`, $CUDAHOT_TOOLKIT, $CUDA_HOME, $CUDA_PATH, the nvcc on PATH,
// /usr/local/cuda, /usr/lib/cuda. A place that was named explicitly (argument or CUDAHOT_TOOLKIT) and is not a
// toolkit is an error, not skipped. Loads nothing.
// Errors: environment, naming every place that was looked at and what was missing there.
Result<Toolkit> find_toolkit(const std::optional<std::filesystem::path>& explicit_root = std::nullopt);

// Reads build ids (ELF note NT_GNU_BUILD_ID; without one, the digest of the file) from the files, of NVRTC with its
// builtins library. Loads nothing. Errors: environment.
Result<std::string> identify_nvrtc(const Toolkit& toolkit);
Result<std::string> identify_nvjitlink(const Toolkit& toolkit);

// The environment variables that change what both libraries make, as " NAME=VALUE" each; empty where none is set.
std::string compiler_environment();

// NVRTC's version down to its build, where the toolkit says it in version.json; else "13.0". For people.
std::string version_of(const Toolkit& toolkit);

}  // namespace cudahot::cuda
