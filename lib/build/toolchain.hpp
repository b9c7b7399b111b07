// Toolchain: NVRTC and nvJitLink of one toolkit, loaded on first use.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "cudahot/result.hpp"
#include "lib/base/toolkit_identity.hpp"
#include "lib/build/helper_memo.hpp"
#include "lib/cuda/nvjitlink.hpp"
#include "lib/cuda/nvrtc.hpp"
#include "lib/cuda/toolkit.hpp"

namespace cudahot::build {

// Thread safe. Construction looks for nothing; each call finds or loads what it needs once, and
// repeats its error afterwards.
class Toolchain {
 public:
  explicit Toolchain(std::optional<std::filesystem::path> explicit_root = std::nullopt);

  Result<const cuda::Toolkit*> toolkit();
  Result<const base::ToolkitIdentity*> identity();  // loads neither library
  Result<const cuda::Nvrtc*> nvrtc();
  Result<const cuda::NvJitLink*> nvjitlink();

  // What compile() keeps between calls: the helpers of slices, which an edit of a region leaves as they are.
  HelperMemo& helper_memo() { return helper_memo_; }

 private:
  Result<const cuda::Toolkit*> toolkit_locked();

  std::mutex mutex_;
  std::optional<std::filesystem::path> explicit_root_;
  std::optional<Result<cuda::Toolkit>> toolkit_;
  std::optional<Result<base::ToolkitIdentity>> identity_;
  std::optional<Result<std::shared_ptr<cuda::Nvrtc>>> nvrtc_;
  std::optional<Result<std::shared_ptr<cuda::NvJitLink>>> nvjitlink_;
  HelperMemo helper_memo_;
};

}  // namespace cudahot::build
