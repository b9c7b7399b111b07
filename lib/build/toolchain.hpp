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
#include "lib/build/identified.hpp"
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
  // Loads neither library. Of a library that is loaded, what was loaded; of others, what is on disk now. So it differs
  // from an earlier answer where a toolkit was replaced meanwhile.
  Result<base::ToolkitIdentity> identity();
  // Of what compiles for `arch`; for the CPU device that is no toolkit, and starts Clang where it is new.
  Result<base::ToolkitIdentity> identity(const region::SmArch& arch);
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
  Result<base::ToolkitIdentity> cpu_identity();

  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::optional<std::filesystem::path> explicit_root_;
  std::optional<Result<cuda::Toolkit>> toolkit_;
  std::optional<std::string> version_;
  Identified nvrtc_identity_;
  Identified nvjitlink_identity_;
  std::optional<Result<std::shared_ptr<cuda::Nvrtc>>> nvrtc_;
  std::optional<Result<std::shared_ptr<cuda::NvJitLink>>> nvjitlink_;
  std::optional<Result<cpu_device::CpuCompiler>> cpu_compiler_;
  Identified cpu_identity_;
  HelperMemo helper_memo_;
};

}  // namespace cudahot::build
