// The device: cuDevice*, cuDriverGetVersion.
#include <algorithm>
#include <cstring>

#include <unistd.h>

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/device_extension.h"
#include "lib/cpu_device/memory.hpp"
#include "lib/cpu_device/workers.hpp"

namespace {

using cudahot::cpu::Entry;
using cudahot::cpu::is_device;

// nullopt-like: false when the attribute is not known at all.
bool attribute_value(CUdevice_attribute attribute, int& value) {
  using namespace cudahot::cpu;
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      value = CUDAHOT_CPU_CAPABILITY_MAJOR;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      value = CUDAHOT_CPU_CAPABILITY_MINOR;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      value = kMaxThreads;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      value = 64;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      value = 0x7fffffff;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      value = 65535;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      value = kMaxStaticShared;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      value = kMaxDynamicSharedOptIn;
      break;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
      value = 0;
      break;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
      value = 65536;
      break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      value = kWarpSize;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      value = 65536;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      value = processors();
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      value = 1;
      break;
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      value = 1000000;
      break;
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      value = 64;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
      value = 0x7fffffff;
      break;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
    case CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT:
      value = 512;
      break;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT:
      value = 32;
      break;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_HEIGHT:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_WIDTH:
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_SURFACE2D_HEIGHT:
      value = static_cast<int>(kMaxArrayExtent);
      break;
    case CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH:
      value = 1 << 28;
      break;
    case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
    case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES:
    case CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST:
    case CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
      value = 1;
      break;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
      value = 1;
      break;
    default:
      // Everything else that a device could do, this one cannot.
      value = 0;
      return attribute > 0 && attribute < CU_DEVICE_ATTRIBUTE_MAX;
  }
  return true;
}

CUresult check_call(bool has_results, CUdevice device = 0) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (!has_results) return CUDA_ERROR_INVALID_VALUE;
  return is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

}  // namespace

CUresult cuDriverGetVersion(int* version) {
  if (version == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (const CUresult code = check_call(device != nullptr, ordinal); code != CUDA_SUCCESS) return code;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  if (const CUresult code = check_call(count != nullptr); code != CUDA_SUCCESS) return code;
  *count = 1;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (const CUresult code = check_call(name != nullptr && length > 0, device); code != CUDA_SUCCESS) return code;
  const std::size_t count = std::min(sizeof CUDAHOT_CPU_DEVICE_NAME, static_cast<std::size_t>(length));
  std::memcpy(name, CUDAHOT_CPU_DEVICE_NAME, count);
  name[count - 1] = '\0';
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  if (const CUresult code = check_call(uuid != nullptr, device); code != CUDA_SUCCESS) return code;
  static_assert(sizeof CUDAHOT_CPU_DEVICE_UUID == sizeof uuid->bytes + 1);
  std::memcpy(uuid->bytes, CUDAHOT_CPU_DEVICE_UUID, sizeof uuid->bytes);
  return CUDA_SUCCESS;
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  if (const CUresult code = check_call(bytes != nullptr, device); code != CUDA_SUCCESS) return code;
  *bytes = cudahot::cpu::total_memory();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (const CUresult code = check_call(value != nullptr, device); code != CUDA_SUCCESS) return code;
  return attribute_value(attribute, *value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceComputeCapability(int* major, int* minor, CUdevice device) {
  if (const CUresult code = check_call(major != nullptr && minor != nullptr, device); code != CUDA_SUCCESS) return code;
  *major = CUDAHOT_CPU_CAPABILITY_MAJOR;
  *minor = CUDAHOT_CPU_CAPABILITY_MINOR;
  return CUDA_SUCCESS;
}
