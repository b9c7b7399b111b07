#include "lib/extract/device_runtime.hpp"

#include <algorithm>
#include <array>

namespace cudahot::extract {

DeviceRuntime device_runtime_of(AstSession& session, const clang::Decl* declaration) {
  // One instruction each.
  static constexpr std::array<std::string_view, 3> kInline{"cudaGetCurrentGraphExec", "cudaGridDependencySynchronize",
                                                           "cudaTriggerProgrammaticLaunchCompletion"};
  const auto* const function = llvm::dyn_cast<clang::FunctionDecl>(declaration);
  if (function == nullptr || !runs_on_device(function)) return DeviceRuntime::none;
  const auto file = session.sources.file_of(function->getLocation());
  if (!file || !session.source.files[*file].path.ends_with("/cuda_device_runtime_api.h")) return DeviceRuntime::none;
  const bool is_inline = std::ranges::find(kInline, function->getNameAsString()) != kInline.end();
  return is_inline ? DeviceRuntime::declarations : DeviceRuntime::library;
}

}  // namespace cudahot::extract
