// One launch as the threads that run it see it.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "lib/cpu_device/device_heap.hpp"
#include "lib/cpu_device/driver_api.hpp"
#include "lib/cpu_device/elf_size.hpp"
#include "lib/cpu_device/module_abi.h"

namespace cudahot::cpu {

// Why a block could not be run to its end.
struct Fault {
  CUresult code = CUDA_SUCCESS;
  std::string text;  // "thread (1, 0, 0) of block (0, 0, 0): illegal address 0x10"
};

struct Grid {
  const CudahotCpuKernel* kernel = nullptr;
  CudahotCpuDim3 grid_size{1, 1, 1};
  CudahotCpuDim3 block_size{1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0;
  SharedLayout static_shared;
  std::size_t stack_bytes = 0;  // of one thread
  DeviceHeap* heap = nullptr;
  std::size_t heap_bytes = 0;
  void** arguments = nullptr;  // read only while the grid runs

  std::atomic<std::uint64_t> next_block{0};
  std::atomic<bool> cancelled{false};  // a block faulted: those not started are skipped
  std::mutex fault_mutex;
  Fault fault;  // the first one

  std::uint64_t blocks() const { return std::uint64_t{grid_size.x} * grid_size.y * grid_size.z; }
  std::uint32_t threads() const { return block_size.x * block_size.y * block_size.z; }
};

constexpr std::uint32_t kWarpSize = 32;
constexpr std::uint32_t kMaxThreads = 1024;
constexpr std::uint32_t kMaxStaticShared = 48 * 1024;
constexpr std::uint32_t kMaxDynamicShared = 48 * 1024;        // without asking for more
constexpr std::uint32_t kMaxDynamicSharedOptIn = 227 * 1024;  // with the function attribute
constexpr std::size_t kDefaultStackBytes = 64 * 1024;
constexpr std::size_t kMinStackBytes = 32 * 1024;  // printf of a double needs half of it
constexpr std::size_t kMaxStackBytes = 16 * 1024 * 1024;

}  // namespace cudahot::cpu
