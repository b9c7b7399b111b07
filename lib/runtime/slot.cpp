#include "lib/runtime/slot.hpp"

#include <fmt/format.h>

#include "lib/runtime/launch_records.hpp"

namespace cudahot::detail {
namespace {

// Only a launch that is larger than all before it writes.
void raise(std::atomic<std::uint32_t>& seen, std::uint32_t value) {
  std::uint32_t before = seen.load(std::memory_order_relaxed);
  while (before < value && !seen.compare_exchange_weak(before, value, std::memory_order_relaxed)) {
  }
}

// Whether the launch will be recorded into a graph instead of run. The legacy default stream
// cannot be captured.
bool is_captured(const runtime::Context& context, CUstream stream) {
  if (stream == nullptr || stream == CU_STREAM_LEGACY) return false;
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return context.driver().stream_is_capturing(stream, &status) == CUDA_SUCCESS &&
         status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
}

CUresult enqueue(const runtime::Context& context, const runtime::KernelCode& code, const LaunchConfig& config,
                 void** arguments) {
  if (is_captured(context, config.stream)) code.captured->store(true, std::memory_order_release);
  return context.driver().launch_kernel(code.function, config.grid.x, config.grid.y, config.grid.z, config.block.x,
                                        config.block.y, config.block.z, config.dynamic_shared_bytes, config.stream,
                                        arguments, nullptr);
}

}  // namespace

Slot::Slot(std::string kernel, std::vector<ParameterLayout> layout, std::shared_ptr<runtime::Context> context)
    : kernel_(std::move(kernel)), layout_(std::move(layout)), context_(std::move(context)) {}

Status Slot::launch(const LaunchConfig& config, void** arguments) noexcept {
  const runtime::Pin pin(current_);
  if (pin.code() == nullptr) {
    return fail(ErrorCode::usage, fmt::format("cannot launch {}: its cudahot::Runtime was destroyed", kernel_));
  }
  CUresult result = enqueue(*context_, *pin.code(), config, arguments);
  if (result == CUDA_ERROR_INVALID_CONTEXT) {
    // A thread that never used CUDA has no current context: give it ours.
    CUcontext current = nullptr;
    context_->driver().context_get_current(&current);
    if (current == nullptr && context_->driver().context_set_current(context_->handle()) == CUDA_SUCCESS) {
      result = enqueue(*context_, *pin.code(), config, arguments);
    }
  }
  if (result == CUDA_SUCCESS) {
    raise(threads_seen_, config.block.x * config.block.y * config.block.z);
    raise(dynamic_shared_seen_, config.dynamic_shared_bytes);
    return {};
  }
  return explain_failure(result, *pin.code(), config);
}

Status Slot::explain_failure(CUresult result, const runtime::KernelCode& code, const LaunchConfig& config) {
  context_->note_result(result, fmt::format("{} generation {}", kernel_, code.generation->number));
  return fail(ErrorCode::driver,
              fmt::format("cannot launch {} generation {} with grid {}x{}x{}, block {}x{}x{}, {} bytes of dynamic "
                          "shared memory: {}",
                          kernel_, code.generation->number, config.grid.x, config.grid.y, config.grid.z, config.block.x,
                          config.block.y, config.block.z, config.dynamic_shared_bytes,
                          cuda::describe(context_->driver(), result)));
}

KernelInfo Slot::info() const {
  KernelInfo info;
  info.name = kernel_;
  const runtime::Pin pin(current_);
  if (pin.code() == nullptr) return info;
  const runtime::KernelCode& code = *pin.code();
  info.source = code.generation->source;
  info.architecture = code.generation->architecture;
  info.tier = code.generation->tier;
  info.generation = code.generation->number;
  info.registers = code.facts.registers;
  info.static_shared_bytes = code.facts.static_shared_bytes;
  info.key = base::to_hex(code.generation->key);
  return info;
}

LaunchShape Slot::shape_seen() const {
  return {threads_seen_.load(std::memory_order_relaxed), dynamic_shared_seen_.load(std::memory_order_relaxed)};
}

Status launch(Slot& slot, const LaunchConfig& config, void** arguments) noexcept {
  return slot.launch(config, arguments);
}

KernelInfo info(const Slot& slot) { return slot.info(); }

}  // namespace cudahot::detail
