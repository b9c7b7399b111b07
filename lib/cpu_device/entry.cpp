// How every driver call begins.
#include <atomic>
#include <vector>

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/log.hpp"

namespace cudahot::cpu {
namespace {
std::atomic<bool> initialised{false};
}

void set_initialised() { initialised.store(true, std::memory_order_release); }
bool is_device(CUdevice device) { return device == 0; }

std::vector<CUcontext>& context_stack() {
  static thread_local std::vector<CUcontext> stack;
  return stack;
}

Entry::Entry(Needs needs) {
  if (needs == Needs::nothing) return;
  if (!initialised.load(std::memory_order_acquire)) {
    error_ = CUDA_ERROR_NOT_INITIALIZED;
  } else if (in_host_function()) {
    error_ = misuse(CUDA_ERROR_NOT_PERMITTED, "a host function of a stream called the driver");
  } else if (needs == Needs::context) {
    const std::vector<CUcontext>& stack = context_stack();
    if (stack.empty() || stack.back() == nullptr) {
      error_ = CUDA_ERROR_INVALID_CONTEXT;
      return;
    }
    context_ = find_handle<Context>(stack.back());
    error_ = context_ == nullptr ? CUDA_ERROR_CONTEXT_IS_DESTROYED : context_->state();
  }
}

}  // namespace cudahot::cpu
