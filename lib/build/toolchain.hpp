// Toolchain: NVRTC and nvJitLink of one toolkit, loaded on first use, and the Clang of the CPU device.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "cudahot/result.hpp"
#include "lib/base/toolkit_identity.hpp"
#include "lib/build/helper_memo.hpp"
#include "lib/cpu_device/code/cpu_compiler.hpp"
#include "lib/cuda/nvjitlink.hpp"
#include "lib/cuda/nvrtc.hpp"
#include "lib/cuda/toolkit.hpp"
#include "lib/region/sm_arch.hpp"

namespace cudahot::build {

// Thread safe. Construction looks for nothing; each call finds or loads what it needs once, and
// repeats its error afterwards.
class Toolchain {
 public:
  explicit Toolchain(std::optional<std::filesystem::path> explicit_root = std::nullopt);

  Result<const cuda::Toolkit*> toolkit();
  Result<const base::ToolkitIdentity*> identity();  // loads neither library
  // Of what compiles for `arch`; for the CPU device that is no toolkit, and starts Clang once.
  Result<const base::ToolkitIdentity*> identity(const region::SmArch& arch);
  Result<const cpu_device::CpuCompiler*> cpu_compiler();
  Result<const cuda::Nvrtc*> nvrtc();
  Result<const cuda::NvJitLink*> nvjitlink();

  // Ends, soon, the programs that run for the CPU device, now and later: those calls fail with code busy. From any
  // thread. A compile by a library goes on to its end.
  void cancel() { cancelled_ = true; }
  bool cancelled() const { return cancelled_; }

  // What compile() keeps between calls: the helpers of slices, which an edit of a region leaves as they are.
  HelperMemo& helper_memo() { return helper_memo_; }

 private:
  Result<const cuda::Toolkit*> toolkit_locked();
  Result<const cpu_device::CpuCompiler*> cpu_compiler_locked();
  Result<const base::ToolkitIdentity*> cpu_identity();

  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::optional<std::filesystem::path> explicit_root_;
  std::optional<Result<cuda::Toolkit>> toolkit_;
  std::optional<Result<base::ToolkitIdentity>> identity_;
  std::optional<Result<std::shared_ptr<cuda::Nvrtc>>> nvrtc_;
  std::optional<Result<std::shared_ptr<cuda::NvJitLink>>> nvjitlink_;
  std::optional<Result<cpu_device::CpuCompiler>> cpu_compiler_;
  std::optional<Result<base::ToolkitIdentity>> cpu_identity_;
  HelperMemo helper_memo_;
};

}  // namespace cudahot::build
