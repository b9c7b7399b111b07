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
