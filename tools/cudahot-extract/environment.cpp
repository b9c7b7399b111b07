#include "tools/cudahot-extract/environment.hpp"

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

}  // namespace cudahot::extract_tool
