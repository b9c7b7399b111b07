// Initialisation and contexts: cuInit, cuDevicePrimaryCtx*, cuCtx*.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/log.hpp"

namespace cudahot::cpu {
namespace {

struct Primary {
  std::mutex mutex;
  int users = 0;
  unsigned flags = 0;
  ContextPointer context;
};
Primary& primary() {
  static Primary& the = *new Primary;
  return the;
}

void destroy(const ContextPointer& context) {
  HandleTable<Context>::instance().remove(context->handle);
  context->drain();
  destroy_context_contents(*context);
}

}  // namespace

}  // namespace cudahot::cpu

using cudahot::cpu::Context;
using cudahot::cpu::ContextPointer;
using cudahot::cpu::Entry;
using cudahot::cpu::find_handle;

CUresult cuInit(unsigned int flags) {
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  cudahot::cpu::set_initialised();
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* result, CUdevice device) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!cudahot::cpu::is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  auto& primary = cudahot::cpu::primary();
  const std::lock_guard lock(primary.mutex);
  if (primary.context == nullptr) primary.context = Context::create(primary.flags);
  ++primary.users;
  *result = primary.context->handle;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (!cudahot::cpu::is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  auto& primary = cudahot::cpu::primary();
  const std::lock_guard lock(primary.mutex);
  if (primary.users == 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (--primary.users == 0 && primary.context != nullptr)
    cudahot::cpu::destroy(std::exchange(primary.context, nullptr));
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxReset(CUdevice device) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (!cudahot::cpu::is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  auto& primary = cudahot::cpu::primary();
  const std::lock_guard lock(primary.mutex);
  primary.users = 0;
  if (primary.context != nullptr) cudahot::cpu::destroy(std::exchange(primary.context, nullptr));
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (!cudahot::cpu::is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  auto& primary = cudahot::cpu::primary();
  const std::lock_guard lock(primary.mutex);
  primary.flags = flags;
  if (primary.context != nullptr) primary.context->flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned int* flags, int* active) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (flags == nullptr || active == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!cudahot::cpu::is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  auto& primary = cudahot::cpu::primary();
  const std::lock_guard lock(primary.mutex);
  *flags = primary.flags;
  *active = primary.context != nullptr ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext* result, CUctxCreateParams* parameters, unsigned int flags, CUdevice device) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!cudahot::cpu::is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
  if (parameters != nullptr && (parameters->numExecAffinityParams != 0 || parameters->cigParams != nullptr)) {
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  *result = Context::create(flags)->handle;
  cudahot::cpu::context_stack().push_back(*result);
  return CUDA_SUCCESS;
}

CUresult cuCtxDestroy(CUcontext handle) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  const ContextPointer context = find_handle<Context>(handle);
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (const std::lock_guard lock(cudahot::cpu::primary().mutex); cudahot::cpu::primary().context == context) {
    return cudahot::cpu::misuse(CUDA_ERROR_INVALID_CONTEXT, "cuCtxDestroy of the primary context: release it instead");
  }
  auto& stack = cudahot::cpu::context_stack();
  if (!stack.empty() && stack.back() == handle) stack.pop_back();
  cudahot::cpu::destroy(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext handle) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (find_handle<Context>(handle) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  cudahot::cpu::context_stack().push_back(handle);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* handle) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  auto& stack = cudahot::cpu::context_stack();
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (handle != nullptr) *handle = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext handle) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  auto& stack = cudahot::cpu::context_stack();
  if (handle == nullptr) {
    if (!stack.empty()) stack.pop_back();
    return CUDA_SUCCESS;
  }
  if (find_handle<Context>(handle) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  if (stack.empty()) stack.push_back(handle);
  else stack.back() = handle;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext* handle) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto& stack = cudahot::cpu::context_stack();
  *handle = stack.empty() ? nullptr : stack.back();
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice* device) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *device = 0;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned int* flags) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (flags == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = entry->flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned int flags) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  entry->flags = flags;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long* id) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const ContextPointer context = handle == nullptr ? entry.context() : find_handle<Context>(handle);
  if (context == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (id == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *id = reinterpret_cast<std::uintptr_t>(context->handle);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned int* version) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (handle != nullptr && find_handle<Context>(handle) == nullptr) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetLimit(CUlimit limit, std::size_t value) {
  using namespace cudahot::cpu;
  const Entry entry;
  if (entry.refused()) return entry.error();
  switch (limit) {
    // A GPU's default of 1 KiB would not hold a host function: small values are raised.
    case CU_LIMIT_STACK_SIZE:
      entry->stack_bytes = std::clamp(value, kMinStackBytes, kMaxStackBytes);
      break;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
      entry->printf_bytes = value;
      break;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
      entry->heap_bytes = value;
      break;
    default:
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
  }
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(std::size_t* value, CUlimit limit) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  switch (limit) {
    case CU_LIMIT_STACK_SIZE:
      *value = entry->stack_bytes;
      break;
    case CU_LIMIT_PRINTF_FIFO_SIZE:
      *value = entry->printf_bytes;
      break;
    case CU_LIMIT_MALLOC_HEAP_SIZE:
      *value = entry->heap_bytes;
      break;
    default:
      return CUDA_ERROR_UNSUPPORTED_LIMIT;
  }
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache* config) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (config == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *config = CU_FUNC_CACHE_PREFER_NONE;
  return CUDA_SUCCESS;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache) { return Entry().error(); }

CUresult cuCtxGetStreamPriorityRange(int* least, int* greatest) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = 0;
  return CUDA_SUCCESS;
}
