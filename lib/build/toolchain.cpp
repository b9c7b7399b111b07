#include "lib/build/toolchain.hpp"

#include <utility>

namespace cudahot::build {

Toolchain::Toolchain(std::optional<std::filesystem::path> explicit_root) : explicit_root_(std::move(explicit_root)) {}

Result<const cuda::Toolkit*> Toolchain::toolkit_locked() {
  if (!toolkit_) toolkit_ = cuda::find_toolkit(explicit_root_);
  if (!*toolkit_) return fail(toolkit_->error());
  return &**toolkit_;
}

Result<const cuda::Toolkit*> Toolchain::toolkit() {
  const std::lock_guard lock(mutex_);
  return toolkit_locked();
}

Result<const base::ToolkitIdentity*> Toolchain::identity() {
  const std::lock_guard lock(mutex_);
  if (!identity_) {
    const auto toolkit = toolkit_locked();
    identity_ = toolkit ? cuda::identify(**toolkit) : fail(toolkit.error());
  }
  if (!*identity_) return fail(identity_->error());
  return &**identity_;
}

Result<const base::ToolkitIdentity*> Toolchain::identity(const region::SmArch& arch) {
  return region::is_cpu(arch) ? cpu_identity() : identity();
}

Result<const cpu_device::CpuCompiler*> Toolchain::cpu_compiler_locked() {
  if (!cpu_compiler_) cpu_compiler_ = cpu_device::find_cpu_compiler();
  if (!*cpu_compiler_) return fail(cpu_compiler_->error());
  return &**cpu_compiler_;
}

Result<const cpu_device::CpuCompiler*> Toolchain::cpu_compiler() {
  const std::lock_guard lock(mutex_);
  return cpu_compiler_locked();
}

Result<const base::ToolkitIdentity*> Toolchain::cpu_identity() {
  const std::lock_guard lock(mutex_);
  if (!cpu_identity_) {
    const auto compiler = cpu_compiler_locked();
    auto text = compiler ? cpu_device::identify(**compiler, [this] { return cancelled(); }) : fail(compiler.error());
    if (text) cpu_identity_ = base::ToolkitIdentity{text->substr(0, text->find(';')), std::move(*text), ""};
    else cpu_identity_ = fail(std::move(text.error()));
  }
  if (!*cpu_identity_) return fail(cpu_identity_->error());
  return &**cpu_identity_;
}

Result<const cuda::Nvrtc*> Toolchain::nvrtc() {
  const std::lock_guard lock(mutex_);
  if (!nvrtc_) {
    const auto toolkit = toolkit_locked();
    nvrtc_ = toolkit ? cuda::Nvrtc::load(**toolkit) : fail(toolkit.error());
  }
  if (!*nvrtc_) return fail(nvrtc_->error());
  return (*nvrtc_)->get();
}

Result<const cuda::NvJitLink*> Toolchain::nvjitlink() {
  const std::lock_guard lock(mutex_);
  if (!nvjitlink_) {
    const auto toolkit = toolkit_locked();
    nvjitlink_ = toolkit ? cuda::NvJitLink::load(**toolkit) : fail(toolkit.error());
  }
  if (!*nvjitlink_) return fail(nvjitlink_->error());
  return (*nvjitlink_)->get();
}

}  // namespace cudahot::build
