// Slot: where launches of one kernel find the current code.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cudahot/cudahot.hpp"
#include "lib/runtime/context.hpp"
#include "lib/runtime/generation.hpp"

namespace cudahot::detail {

// The largest block and dynamic shared memory that launches of the kernel succeeded with.
struct LaunchShape {
  std::uint32_t threads_per_block = 0;
  std::uint32_t dynamic_shared_bytes = 0;
};

class Slot {
 public:
  Slot(std::string kernel, std::vector<ParameterLayout> layout, std::shared_ptr<runtime::Context> context);

  // One atomic load to the code, the driver's launch; see launch_records.hpp for why the code
  // cannot be unloaded meanwhile. Errors: driver.
  Status launch(const LaunchConfig& config, void** arguments) noexcept;

  // The next launch uses `code`; nullptr: launches fail from now on. The code that was current
  // may be pinned by launches for a while.
  void publish(const runtime::KernelCode* code) { current_.store(code, std::memory_order_seq_cst); }

  KernelInfo info() const;
  const std::string& kernel() const { return kernel_; }
  const std::vector<ParameterLayout>& layout() const { return layout_; }
  LaunchShape shape_seen() const;

 private:
  Status explain_failure(CUresult result, const runtime::KernelCode& code, const LaunchConfig& config);

  std::atomic<const runtime::KernelCode*> current_{nullptr};
  std::atomic<std::uint32_t> threads_seen_{0};
  std::atomic<std::uint32_t> dynamic_shared_seen_{0};
  const std::string kernel_;
  const std::vector<ParameterLayout> layout_;
  const std::shared_ptr<runtime::Context> context_;
};

}  // namespace cudahot::detail
