#include "lib/runtime/generation.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lib/runtime/launch_records.hpp"

namespace cudahot::runtime {

Result<LoadedLibrary> LoadedLibrary::load(std::shared_ptr<Context> context, const std::string& cubin) {
  CUlibrary handle = nullptr;
  const CUresult result =
      context->driver().library_load_data(&handle, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result != CUDA_SUCCESS) {
    return driver_failure(*context, fmt::format("the driver cannot load the new code on {}", context->device().name),
                          result);
  }
  return LoadedLibrary(std::move(context), handle);
}

LoadedLibrary::~LoadedLibrary() {
  if (handle_ != nullptr) context_->driver().library_unload(handle_);
}

LoadedLibrary::LoadedLibrary(LoadedLibrary&& other) noexcept
    : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, nullptr)) {}

Result<CUfunction> LoadedLibrary::resolve(const std::string& symbol) const {
  CUkernel kernel = nullptr;
  if (const CUresult result = context_->driver().library_get_kernel(&kernel, handle_, symbol.c_str());
      result != CUDA_SUCCESS) {
    return driver_failure(*context_, fmt::format("the new code has no kernel '{}'", symbol), result);
  }
  CUfunction function = nullptr;
  if (const CUresult result = context_->driver().kernel_get_function(&function, kernel); result != CUDA_SUCCESS) {
    return driver_failure(*context_, fmt::format("the driver cannot make kernel '{}' resident", symbol), result);
  }
  return function;
}

Result<base::KernelFacts> facts_of(const cache::Artifact& artifact, const region::Kernel& kernel) {
  const auto name = std::find_if(artifact.lowered_names.begin(), artifact.lowered_names.end(),
                                 [&](const auto& entry) { return entry.first == kernel.name; });
  const std::string& symbol = name != artifact.lowered_names.end() ? name->second : kernel.mangled_name;
  const auto facts = std::find_if(artifact.kernels.begin(), artifact.kernels.end(),
                                  [&](const auto& entry) { return entry.lowered_name == symbol; });
  if (facts == artifact.kernels.end()) {
    return fail(ErrorCode::internal, fmt::format("kernel '{}' (symbol '{}') is not in the CUBIN that was built for it",
                                                 kernel.name, symbol));
  }
  return *facts;
}

Result<std::unique_ptr<Generation>> Generation::load(std::shared_ptr<Context> context, std::string source,
                                                     const std::vector<region::Kernel>& kernels,
                                                     const build::BuiltCubin& built, std::uint64_t number) {
  const cache::Artifact& artifact = *built.artifact;
  auto library = LoadedLibrary::load(std::move(context), artifact.blob);
  if (!library) return fail(std::move(library.error()));
  auto facts = std::make_shared<const GenerationFacts>(GenerationFacts{
      number, std::move(source), region::to_string(artifact.arch), std::string(region::to_string(artifact.tier)),
      built.key, base::digest(artifact.blob), artifact.blob.size()});
  std::unique_ptr<Generation> generation(new Generation(std::move(*library), built.artifact, facts));
  for (const region::Kernel& kernel : kernels) {
    auto kernel_facts = facts_of(artifact, kernel);
    if (!kernel_facts) return fail(std::move(kernel_facts.error()));
    generation->codes_.push_back(
        KernelCode{kernel.name, nullptr, std::move(*kernel_facts), facts, &generation->captured_});
  }
  return generation;
}

Status Generation::resolve() {
  for (KernelCode& code : codes_) {
    auto function = library_.resolve(code.facts.lowered_name);
    if (!function) return fail(std::move(function.error()));
    code.function = *function;
  }
  return {};
}

const KernelCode* Generation::find(std::string_view kernel) const {
  const auto found =
      std::find_if(codes_.begin(), codes_.end(), [&](const auto& code) { return code.kernel == kernel; });
  return found == codes_.end() ? nullptr : &*found;
}

bool Generation::launching() const {
  return std::any_of(codes_.begin(), codes_.end(), [](const auto& code) { return is_pinned(&code); });
}

bool Generation::pinned() const {
  // In this order: a launch sets `captured` while it holds its pin.
  return launching() || captured_.load(std::memory_order_acquire);
}

}  // namespace cudahot::runtime
