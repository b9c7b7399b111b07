// The programs that turn a slice into an object for this processor.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cudahot/result.hpp"

namespace cudahot::cpu_device {

struct CpuCompiler {
  std::filesystem::path clang;
  std::filesystem::path linker;                  // lld, else ld
  std::vector<std::filesystem::path> libraries;  // the C library, what it needs, and the mathematical one
};

// `clang`: what the user asked for; else $CUDAHOT_CLANG; else clang++-22, clang-22, clang++ on PATH. Looks, starts
// nothing. Errors: environment, with what is missing and how to get it.
Result<CpuCompiler> find_cpu_compiler(const std::optional<std::filesystem::path>& clang = std::nullopt);

// What of the compiler decides the bytes of an object, for cache keys: its version and the linker's, and the prelude.
// Starts both programs (about 0.1 s): keep the answer. Errors: environment, also when Clang is older than 18;
// busy when `cancelled`, which is polled, said so.
Result<std::string> identify(const CpuCompiler& compiler, const std::function<bool()>& cancelled = {});

}  // namespace cudahot::cpu_device
