#include "lib/base/paths.hpp"

#include <cstdlib>

#include <unistd.h>

namespace cudahot::base {

std::optional<std::string> environment(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

Result<std::filesystem::path> user_cache_path() {
  if (const auto file = environment("CUDAHOT_CACHE")) return std::filesystem::path(*file);
  // Relative: not valid, by the XDG base directory specification.
  if (const auto folder = environment("XDG_CACHE_HOME"); folder && folder->front() == '/') {
    return std::filesystem::path(*folder) / "cudahot" / "cache.db";
  }
  if (const auto home = environment("HOME")) return std::filesystem::path(*home) / ".cache" / "cudahot" / "cache.db";
  return fail(ErrorCode::environment,
              "no place for the cache: set CUDAHOT_CACHE to a file, or XDG_CACHE_HOME or HOME to a folder");
}

std::filesystem::path executable_path() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const auto path = environment("PATH");
  if (!path) return std::nullopt;
  std::size_t begin = 0;
  while (begin <= path->size()) {
    std::size_t end = path->find(':', begin);
    if (end == std::string::npos) end = path->size();
    const std::filesystem::path folder = path->substr(begin, end - begin);
    const auto candidate = (folder.empty() ? std::filesystem::path(".") : folder) / name;
    std::error_code error;
    if (std::filesystem::is_regular_file(candidate, error) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    begin = end + 1;
  }
  return std::nullopt;
}

}  // namespace cudahot::base
