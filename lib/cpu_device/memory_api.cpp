// Allocation and what is known about pointers: cuMem*, cuPointerGetAttribute.
#include <cstring>

#include <fmt/format.h>

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/enqueue.hpp"
#include "lib/cpu_device/log.hpp"
#include "lib/cpu_device/memory.hpp"

using cudahot::cpu::Entry;
using cudahot::cpu::MemoryKind;
using cudahot::cpu::MemoryMap;
using cudahot::cpu::MemoryRange;
using cudahot::cpu::StreamPointer;

namespace {

CUresult allocate(CUdeviceptr* result, std::size_t bytes, MemoryKind kind, unsigned flags) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (result == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  *result = cudahot::cpu::allocate(bytes, kind, flags, entry->handle);
  return *result == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult unknown_pointer(std::string_view function, std::uintptr_t pointer) {
  return cudahot::cpu::misuse(CUDA_ERROR_INVALID_VALUE,
                              fmt::format("{}: {:#x} is no such allocation, or was freed", function, pointer));
}

}  // namespace

CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (free != nullptr) *free = cudahot::cpu::total_memory() - cudahot::cpu::counters().device_memory_bytes;
  if (total != nullptr) *total = cudahot::cpu::total_memory();
  return CUDA_SUCCESS;
}

CUresult cuMemAlloc(CUdeviceptr* result, std::size_t bytes) { return allocate(result, bytes, MemoryKind::device, 0); }

CUresult cuMemAllocPitch(CUdeviceptr* result, std::size_t* pitch, std::size_t width, std::size_t height,
                         unsigned int element_bytes) {
  constexpr std::size_t kPitchAlignment = 512;
  if (pitch == nullptr || width == 0 || height == 0) return CUDA_ERROR_INVALID_VALUE;
  if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) return CUDA_ERROR_INVALID_VALUE;
  *pitch = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  if (*pitch < width || height > SIZE_MAX / *pitch) return CUDA_ERROR_INVALID_VALUE;
  return allocate(result, *pitch * height, MemoryKind::device, 0);
}

CUresult cuMemAllocManaged(CUdeviceptr* result, std::size_t bytes, unsigned int flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
  return allocate(result, bytes, MemoryKind::managed, flags);
}

CUresult cuMemFree(CUdeviceptr pointer) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (pointer == 0) return CUDA_SUCCESS;
  entry->drain();
  if (!cudahot::cpu::deallocate(pointer, false)) return unknown_pointer("cuMemFree", pointer);
  return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr* result, std::size_t bytes, CUstream stream) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (entry->stream(stream) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return allocate(result, bytes, MemoryKind::device, 0);
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream handle) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const StreamPointer stream = entry->stream(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (CUresult refused = cudahot::cpu::refuse_while_capturing(*stream); refused != CUDA_SUCCESS) return refused;
  const auto range = MemoryMap::instance().find(pointer);
  if (!range || range->start != pointer || range->kind != MemoryKind::device) {
    return unknown_pointer("cuMemFreeAsync", pointer);
  }
  stream->submit([pointer](CUresult) {
    if (!cudahot::cpu::deallocate(pointer, false)) unknown_pointer("cuMemFreeAsync", pointer);
  });
  return CUDA_SUCCESS;
}

CUresult cuMemGetAddressRange(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr pointer) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto range = MemoryMap::instance().find(pointer);
  if (!range) return CUDA_ERROR_NOT_FOUND;
  if (base != nullptr) *base = range->start;
  if (bytes != nullptr) *bytes = range->bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemHostAlloc(void** result, std::size_t bytes, unsigned int flags) {
  constexpr unsigned kKnown = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if (result == nullptr || (flags & ~kKnown) != 0) return CUDA_ERROR_INVALID_VALUE;
  CUdeviceptr pointer = 0;
  const CUresult code = allocate(&pointer, bytes, MemoryKind::pinned, flags);
  if (code == CUDA_SUCCESS) *result = reinterpret_cast<void*>(pointer);
  return code;
}

CUresult cuMemAllocHost(void** result, std::size_t bytes) { return cuMemHostAlloc(result, bytes, 0); }

CUresult cuMemFreeHost(void* pointer) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  entry->drain();
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!cudahot::cpu::deallocate(address, true)) return unknown_pointer("cuMemFreeHost", address);
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister(void* pointer, std::size_t bytes, unsigned int flags) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const bool added = MemoryMap::instance().add({.start = reinterpret_cast<std::uintptr_t>(pointer),
                                                .bytes = bytes,
                                                .kind = MemoryKind::registered,
                                                .flags = flags,
                                                .owner = entry->handle});
  return added ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

CUresult cuMemHostUnregister(void* pointer) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto range = MemoryMap::instance().find(address);
  if (!range || range->start != address || range->kind != MemoryKind::registered) {
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  }
  entry->drain();
  MemoryMap::instance().remove(address);
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetDevicePointer(CUdeviceptr* result, void* pointer, unsigned int flags) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  const auto range = MemoryMap::instance().find(address);
  if (result == nullptr || flags != 0 || !range || !range->on_host()) return CUDA_ERROR_INVALID_VALUE;
  *result = address;
  return CUDA_SUCCESS;
}

CUresult cuMemHostGetFlags(unsigned int* flags, void* pointer) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto range = MemoryMap::instance().find(reinterpret_cast<std::uintptr_t>(pointer));
  if (flags == nullptr || !range || !range->on_host()) return CUDA_ERROR_INVALID_VALUE;
  *flags = range->flags | CU_MEMHOSTALLOC_DEVICEMAP;
  return CUDA_SUCCESS;
}

// There is one memory: nothing to move, but the bytes have to exist.
CUresult cuMemPrefetchAsync(CUdeviceptr pointer, std::size_t bytes, CUmemLocation, unsigned int, CUstream stream) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (entry->stream(stream) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return MemoryMap::instance().is_accessible(pointer, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemAdvise(CUdeviceptr pointer, std::size_t bytes, CUmem_advise, CUmemLocation) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  return MemoryMap::instance().is_accessible(pointer, bytes) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, std::size_t, unsigned int) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (entry->stream(stream) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return MemoryMap::instance().find(pointer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

namespace {

template <typename Value>
CUresult put(void* data, Value value) {
  std::memcpy(data, &value, sizeof value);
  return CUDA_SUCCESS;
}

CUresult pointer_attribute(void* data, CUpointer_attribute attribute, const MemoryRange& range, CUdeviceptr pointer) {
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return put(data, range.owner);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return put(data, static_cast<unsigned>(range.on_host() ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE));
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return put(data, pointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (!range.on_host() && range.kind != MemoryKind::managed) return CUDA_ERROR_INVALID_VALUE;
      return put(data, reinterpret_cast<void*>(pointer));
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return put(data, static_cast<unsigned long long>(range.id));
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return put(data, range.kind == MemoryKind::managed ? 1 : 0);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return put(data, 0);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return put(data, static_cast<CUdeviceptr>(range.start));
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return put(data, range.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return put(data, 1);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto range = MemoryMap::instance().find(pointer);
  if (data == nullptr || !range) return CUDA_ERROR_INVALID_VALUE;
  return pointer_attribute(data, attribute, *range, pointer);
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute* attributes, void** data, CUdeviceptr pointer) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (attributes == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  // Of unknown memory everything is null, and that is no error.
  const MemoryRange none{};
  const auto range = MemoryMap::instance().find(pointer);
  for (unsigned index = 0; index < count; ++index) {
    if (!range && attributes[index] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
      put(data[index], 0U);
      continue;
    }
    const CUresult code = pointer_attribute(data[index], attributes[index], range ? *range : none, range ? pointer : 0);
    if (code == CUDA_ERROR_NOT_SUPPORTED) return code;
    if (code != CUDA_SUCCESS) put(data[index], static_cast<void*>(nullptr));
  }
  return CUDA_SUCCESS;
}
