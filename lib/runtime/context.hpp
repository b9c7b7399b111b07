// The CUDA context that hot kernels are loaded into: its driver, its device, its end.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "cudahot/result.hpp"
#include "lib/cuda/driver.hpp"
#include "lib/region/sm_arch.hpp"

namespace cudahot::runtime {

struct DeviceFacts {
  std::string name;
  region::SmArch arch;                       // plain compute capability, or the CPU device
  std::uint32_t shared_bytes_per_block = 0;  // without opting in to more
  std::uint32_t registers_per_block = 0;
  std::uint32_t threads_per_block = 0;
};

class Context {
 public:
  // `wanted`: nullptr takes the context that is current in the calling thread, else the primary
  // context of device 0, which is then retained for as long as this object lives.
  // Errors: environment (no usable device), driver.
  static Result<std::shared_ptr<Context>> open(std::shared_ptr<const cuda::DriverTable> driver, CUcontext wanted);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const cuda::DriverTable& driver() const { return *driver_; }
  CUcontext handle() const { return handle_; }
  const DeviceFacts& device() const { return device_; }

  // A result that ends the context: the first one is kept, with what was running, and
  // `on_death` is called once, in the thread that saw it; it must not call back into the context.
  void note_result(CUresult result, const std::string& what_ran);
  bool dead() const { return dead_.load(std::memory_order_acquire); }
  std::optional<Error> cause_of_death() const;
  void set_on_death(std::function<void()> on_death);

 private:
  Context(std::shared_ptr<const cuda::DriverTable> driver, CUcontext handle);

  std::shared_ptr<const cuda::DriverTable> driver_;
  CUcontext handle_ = nullptr;
  std::optional<CUdevice> retained_;
  DeviceFacts device_;
  std::atomic<bool> dead_{false};
  mutable std::mutex mutex_;
  std::optional<Error> cause_;
  std::function<void()> on_death_;
};

// Makes the context current in this thread for a scope, then puts back what was.
class CurrentContext {
 public:
  explicit CurrentContext(const Context& context);
  ~CurrentContext();
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;

 private:
  const Context& context_;
  CUcontext previous_ = nullptr;
  bool changed_ = false;
};

// Whether a stream of the context is being captured into a graph, as far as the driver tells:
// it names captures on streams that synchronise with the legacy default stream.
bool capture_is_open(const Context& context);

// `what` failed: "cannot load ...: CUDA_ERROR_... (text)", code driver.
tl::unexpected<Error> driver_failure(const Context& context, const std::string& what, CUresult result);

}  // namespace cudahot::runtime
