#include "lib/build/toolchain.hpp"

#include <utility>
#include <vector>

namespace cudahot::build {
namespace {

std::vector<std::filesystem::path> nvrtc_files(const cuda::Toolkit& toolkit) {
  return {toolkit.nvrtc, toolkit.nvrtc_builtins};
}

}  // namespace

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

Result<base::ToolkitIdentity> Toolchain::identity() {
  const std::lock_guard lock(mutex_);
  const auto toolkit = toolkit_locked();
  if (!toolkit) return fail(toolkit.error());
  const cuda::Toolkit& found = **toolkit;
  auto nvrtc = nvrtc_identity_.identity(nvrtc_files(found), [&] { return cuda::identify_nvrtc(found); });
  if (!nvrtc) return fail(std::move(nvrtc.error()));
  auto nvjitlink = nvjitlink_identity_.identity({found.nvjitlink}, [&] { return cuda::identify_nvjitlink(found); });
  if (!nvjitlink) return fail(std::move(nvjitlink.error()));
  if (!version_) version_ = cuda::version_of(found);
  const std::string environment = cuda::compiler_environment();
  return base::ToolkitIdentity{*version_, *nvrtc + environment, *nvjitlink + environment};
}

Result<base::ToolkitIdentity> Toolchain::identity(const region::SmArch& arch) {
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

Result<base::ToolkitIdentity> Toolchain::cpu_identity() {
  const std::lock_guard lock(mutex_);
  const auto compiler = cpu_compiler_locked();
  if (!compiler) return fail(compiler.error());
  auto text = cpu_identity_.identity({(*compiler)->clang, (*compiler)->linker},
                                     [&] { return cpu_device::identify(**compiler, [this] { return cancelled(); }); });
  if (!text) return fail(std::move(text.error()));
  return base::ToolkitIdentity{text->substr(0, text->find(';')), std::move(*text), ""};
}

Result<const cuda::Nvrtc*> Toolchain::nvrtc() {
  const std::lock_guard lock(mutex_);
  if (!nvrtc_) {
    const auto toolkit = toolkit_locked();
    if (!toolkit) return fail(toolkit.error());
    const auto files = nvrtc_files(**toolkit);
    nvrtc_identity_.begin_load(files, [&] { return cuda::identify_nvrtc(**toolkit); });
    nvrtc_ = cuda::Nvrtc::load(**toolkit);
    nvrtc_identity_.end_load(files);
  }
  if (!*nvrtc_) return fail(nvrtc_->error());
  return (*nvrtc_)->get();
}

Result<const cuda::NvJitLink*> Toolchain::nvjitlink() {
  const std::lock_guard lock(mutex_);
  if (!nvjitlink_) {
    const auto toolkit = toolkit_locked();
    if (!toolkit) return fail(toolkit.error());
    const std::vector<std::filesystem::path> files = {(*toolkit)->nvjitlink};
    nvjitlink_identity_.begin_load(files, [&] { return cuda::identify_nvjitlink(**toolkit); });
    nvjitlink_ = cuda::NvJitLink::load(**toolkit);
    nvjitlink_identity_.end_load(files);
  }
  if (!*nvjitlink_) return fail(nvjitlink_->error());
  return (*nvjitlink_)->get();
}

}  // namespace cudahot::build
