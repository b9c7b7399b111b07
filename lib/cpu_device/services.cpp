#include "lib/cpu_device/services.hpp"

#include <chrono>
#include <string>
#include <type_traits>

#include <x86intrin.h>

#include <fmt/format.h>

#include "lib/cpu_device/block_runner.hpp"
#include "lib/cpu_device/surface.hpp"
#include "lib/cpu_device/texture.hpp"

namespace cudahot::cpu {
namespace {

// What takes locks or switches fibers must not be interrupted by the watchdog. Its fault ends the block here instead.
template <typename Function>
auto serve(Function function) {
  BlockRunner& runner = BlockRunner::running();
  runner.enter_service();
  if constexpr (std::is_void_v<decltype(function(runner))>) {
    function(runner);
    runner.leave_service();
  } else {
    const auto result = function(runner);
    runner.leave_service();
    return result;
  }
}

// `fault.code` other than CUDA_SUCCESS ends the block.
void check(const AccessFault& fault) {
  if (fault.code == CUDA_SUCCESS) return;
  BlockRunner::running().set_fault(fault.code, fault.reason);
  BlockRunner::running().stop();
}

void read_surface(std::uint64_t object, std::int32_t x, std::int32_t y, std::uint32_t bytes, std::int32_t boundary,
                  void* value) {
  serve([&](BlockRunner&) { check(surface_read(object, x, y, bytes, boundary, value)); });
}

void write_surface(std::uint64_t object, std::int32_t x, std::int32_t y, std::uint32_t bytes, std::int32_t boundary,
                   const void* value) {
  serve([&](BlockRunner&) { check(surface_write(object, x, y, bytes, boundary, value)); });
}

void fetch_2d(std::uint64_t object, float x, float y, std::uint32_t components[4], std::int32_t* raw) {
  serve([&](BlockRunner&) { check(texture_fetch_2d(object, x, y, components, *raw)); });
}

void fetch_1d_linear(std::uint64_t object, std::int32_t x, std::uint32_t components[4], std::int32_t* raw) {
  serve([&](BlockRunner&) { check(texture_fetch_linear(object, x, components, *raw)); });
}

void set_code_fault(std::int32_t kind, const char* message, const char* file, std::uint32_t line) {
  const char* text = message == nullptr ? "" : message;
  if (kind == CUDAHOT_CPU_FAULT_ASSERT) {
    BlockRunner::running().set_fault(
        CUDA_ERROR_ASSERT, fmt::format("{}:{}: assertion `{}' failed", file == nullptr ? "?" : file, line, text));
  } else {
    BlockRunner::running().set_fault(CUDA_ERROR_LAUNCH_FAILED, *text == '\0' ? "trap" : fmt::format("trap: {}", text));
  }
}

void fault(std::int32_t kind, const char* message, const char* file, std::uint32_t line) {
  BlockRunner::running().enter_service();
  set_code_fault(kind, message, file, line);
  BlockRunner::running().stop();
}

void set_heap_fault(DeviceHeap::Release why, const void* memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  const std::string text =
      why == DeviceHeap::Release::overrun
          ? fmt::format("free({:#x}): something was written behind the memory that malloc gave", address)
          : fmt::format("free({:#x}): malloc has not given this address, or it was freed before", address);
  BlockRunner::running().set_fault(CUDA_ERROR_ILLEGAL_ADDRESS, text);
}

void* allocate(std::uint64_t bytes) {
  return serve([&](BlockRunner& runner) { return runner.grid().heap->allocate(bytes, runner.grid().heap_bytes); });
}

void release(void* memory) {
  serve([&](BlockRunner& runner) {
    const DeviceHeap::Release result = runner.grid().heap->release(memory);
    if (result == DeviceHeap::Release::done) return;
    set_heap_fault(result, memory);
    runner.stop();
  });
}

std::uint64_t global_timer() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

constexpr CudahotCpuServices kServices{
    .abi_version = CUDAHOT_CPU_ABI_VERSION,
    .current_thread = [] { return &BlockRunner::running().current_thread(); },
    .dynamic_shared = [] { return BlockRunner::running().dynamic_shared(); },
    .dynamic_shared_bytes = [] { return BlockRunner::running().dynamic_shared_bytes(); },
    .static_shared = [] { return BlockRunner::running().static_shared(); },
    .barrier =
        [](std::uint32_t predicate) { return serve([&](BlockRunner& runner) { return runner.barrier(predicate); }); },
    .warp_exchange =
        [](std::uint32_t mask, std::uint64_t value, std::uint64_t* all) {
          return serve([&](BlockRunner& runner) { return runner.warp_exchange(mask, value, all); });
        },
    .active_mask = [] { return BlockRunner::running().active_mask(); },
    .surface_read_2d = &read_surface,
    .surface_write_2d = &write_surface,
    .texture_fetch_2d = &fetch_2d,
    .texture_fetch_1d_linear = &fetch_1d_linear,
    .allocate = &allocate,
    .release = &release,
    .print = [](const char* format, const std::uint64_t* arguments,
                std::uint32_t count) { return serve([&](BlockRunner&) { return print(format, arguments, count); }); },
    .fault = &fault,
    .clock = [] { return static_cast<std::uint64_t>(::__rdtsc()); },
    .globaltimer = &global_timer,
    .yield = [] { serve([](BlockRunner& runner) { runner.yield(); }); },
};

}  // namespace

const CudahotCpuServices& services() { return kServices; }

}  // namespace cudahot::cpu
