#include "lib/cuda/toolkit.hpp"

#include <algorithm>
#include <cctype>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lib/base/files.hpp"
#include "lib/base/paths.hpp"
#include "lib/cuda/build_id.hpp"

namespace cudahot::cuda {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Where toolkits keep their parts: NVIDIA's installers, its Linux packages, its wheels, Debian's packages.
constexpr const char* kIncludeFolders[] = {"include", "targets/x86_64-linux/include", "targets/sbsa-linux/include"};
constexpr const char* kLibraryFolders[] = {"lib64", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib",
                                           "lib",   "lib/x86_64-linux-gnu",     "lib/aarch64-linux-gnu"};

// The number behind `#define CUDA_VERSION`, 13000 for 13.0.
std::optional<unsigned> cuda_version(const fs::path& header) {
  const auto text = base::read_file(header);
  if (!text) return std::nullopt;
  constexpr std::string_view kDefine = "#define CUDA_VERSION ";
  const std::size_t at = text->find(kDefine);
  if (at == std::string::npos) return std::nullopt;
  unsigned version = 0;
  for (std::size_t i = at + kDefine.size(); i < text->size() && std::isdigit(static_cast<unsigned char>((*text)[i]));
       ++i) {
    if (version > 1'000'000) return std::nullopt;
    version = version * 10 + static_cast<unsigned>((*text)[i] - '0');
  }
  if (version < 1000) return std::nullopt;
  return version;
}

// The first of the library folders that has `name`.
fs::path find_library(const fs::path& root, const std::string& name) {
  for (const char* folder : kLibraryFolders) {
    const fs::path candidate = root / folder / name;
    if (is_file(candidate)) return candidate;
  }
  return {};
}

// `name` in the folder of `library`, or in that of the file which that is a link to.
fs::path find_beside(const fs::path& library, const std::string& name) {
  std::error_code ignored;
  for (const fs::path& folder : {library.parent_path(), fs::weakly_canonical(library, ignored).parent_path()}) {
    if (is_file(folder / name)) return folder / name;
  }
  return {};
}

bool has_headers(const fs::path& root) {
  return std::ranges::any_of(kIncludeFolders, [&](const char* folder) { return is_file(root / folder / "cuda.h"); });
}

// A toolkit at `root`, or what is missing there.
tl::expected<Toolkit, std::string> examine(const fs::path& named_root, std::string found_by) {
  std::error_code error;
  const fs::path root = fs::absolute(named_root, error).lexically_normal();
  if (error || !is_folder(root)) return tl::unexpected(std::string("no such folder"));
  Toolkit toolkit;
  toolkit.root = root;
  toolkit.found_by = std::move(found_by);
  for (const char* folder : kIncludeFolders) {
    if (!is_file(root / folder / "cuda.h")) continue;
    toolkit.include = root / folder;
    break;
  }
  if (toolkit.include.empty()) return tl::unexpected(std::string("no include/cuda.h"));
  const auto version = cuda_version(toolkit.include / "cuda.h");
  if (!version) return tl::unexpected(fmt::format("'{}' names no CUDA_VERSION", (toolkit.include / "cuda.h").string()));
  toolkit.version_major = *version / 1000;
  toolkit.version_minor = *version % 1000 / 10;
  if (is_folder(toolkit.include / "cccl")) toolkit.cccl = toolkit.include / "cccl";

  const std::string nvrtc = fmt::format("libnvrtc.so.{}", toolkit.version_major);
  toolkit.nvrtc = find_library(root, nvrtc);
  if (toolkit.nvrtc.empty()) return tl::unexpected(fmt::format("no {} in lib64 or lib", nvrtc));
  const std::string builtins = fmt::format("libnvrtc-builtins.so.{}.{}", toolkit.version_major, toolkit.version_minor);
  toolkit.nvrtc_builtins = find_beside(toolkit.nvrtc, builtins);
  if (toolkit.nvrtc_builtins.empty()) {
    return tl::unexpected(fmt::format("no {} beside {}", builtins, toolkit.nvrtc.string()));
  }
  const std::string nvjitlink = fmt::format("libnvJitLink.so.{}", toolkit.version_major);
  toolkit.nvjitlink = find_library(root, nvjitlink);
  if (toolkit.nvjitlink.empty()) return tl::unexpected(fmt::format("no {} in lib64 or lib", nvjitlink));
  toolkit.device_runtime = find_library(root, "libcudadevrt.a");
  return toolkit;
}

struct Candidate {
  std::string found_by;
  std::optional<fs::path> root;  // nullopt: not set
};

// nvcc lies in ROOT/bin, behind any number of links or in front of some: a toolkit may itself be made of them.
std::optional<fs::path> root_of_nvcc_on_path() {
  const auto found = base::find_program("nvcc");
  if (!found) return std::nullopt;
  constexpr int kMostLinks = 40;
  std::error_code error;
  fs::path nvcc = fs::absolute(*found, error);
  for (int links = 0; links < kMostLinks && !error; ++links) {
    const fs::path root = nvcc.parent_path().parent_path();
    const fs::path target = fs::read_symlink(nvcc, error);
    if (error || has_headers(root)) return root;
    nvcc = nvcc.parent_path() / target;
  }
  return std::nullopt;
}

std::optional<fs::path> root_in_environment(const char* name) {
  if (auto value = base::environment(name)) return fs::path(*value);
  return std::nullopt;
}

Result<Toolkit> require(const fs::path& root, const std::string& found_by) {
  auto toolkit = examine(root, found_by);
  if (toolkit) return *toolkit;
  return fail(
      ErrorCode::environment,
      fmt::format("'{}' (from {}) is not a usable CUDA toolkit: {}. Name the folder that holds include/cuda.h and "
                  "NVRTC, or leave it out to have the usual places searched.",
                  root.string(), found_by, toolkit.error()));
}

std::string short_version(const Toolkit& toolkit) {
  return fmt::format("{}.{}", toolkit.version_major, toolkit.version_minor);
}

}  // namespace

Result<Toolkit> find_toolkit(const std::optional<fs::path>& explicit_root) {
  if (explicit_root) return require(*explicit_root, "the toolkit option");
  if (const auto root = root_in_environment("CUDAHOT_TOOLKIT")) return require(*root, "CUDAHOT_TOOLKIT");
  const Candidate candidates[] = {
      {"CUDA_HOME", root_in_environment("CUDA_HOME")}, {"CUDA_PATH", root_in_environment("CUDA_PATH")},
      {"nvcc on PATH", root_of_nvcc_on_path()},        {"the usual place", fs::path("/usr/local/cuda")},
      {"Debian's place", fs::path("/usr/lib/cuda")},
  };
  std::string looked_at = "CUDAHOT_TOOLKIT (not set)";
  for (const Candidate& candidate : candidates) {
    if (!candidate.root) {
      looked_at +=
          fmt::format("; {} ({})", candidate.found_by, candidate.found_by == "nvcc on PATH" ? "not found" : "not set");
      continue;
    }
    auto toolkit = examine(*candidate.root, candidate.found_by);
    if (toolkit) return *toolkit;
    looked_at += fmt::format("; {} '{}' ({})", candidate.found_by, candidate.root->string(), toolkit.error());
  }
  return fail(ErrorCode::environment,
              fmt::format("no CUDA toolkit found. Looked at: {}. Set CUDAHOT_TOOLKIT to the root of a CUDA toolkit.",
                          looked_at));
}

Result<std::string> identify_nvrtc(const Toolkit& toolkit) {
  auto nvrtc = file_identity(toolkit.nvrtc);
  if (!nvrtc) return nvrtc;
  const auto builtins = file_identity(toolkit.nvrtc_builtins);
  if (!builtins) return builtins;
  return *nvrtc + "+" + *builtins;
}

Result<std::string> identify_nvjitlink(const Toolkit& toolkit) { return file_identity(toolkit.nvjitlink); }

std::string compiler_environment() {
  std::string set;
  // The first chooses another code generator. The second is looked at, and does nothing as of CUDA 13.0.
  for (const char* name : {"NV_NVVM_VERSION", "NVRTC_APPEND_FLAGS"}) {
    if (const auto value = base::environment(name)) set += fmt::format(" {}={}", name, *value);
  }
  return set;
}

std::string version_of(const Toolkit& toolkit) {
  const auto text = base::read_file(toolkit.root / "version.json");
  if (!text) return short_version(toolkit);
  const auto document = nlohmann::json::parse(*text, nullptr, false);
  for (const char* part : {"cuda_nvrtc", "cuda"}) {
    if (!document.is_object() || !document.contains(part)) continue;
    const auto& entry = document[part];
    if (entry.is_object() && entry.contains("version") && entry["version"].is_string()) {
      return entry["version"].get<std::string>();
    }
  }
  return short_version(toolkit);
}

}  // namespace cudahot::cuda
