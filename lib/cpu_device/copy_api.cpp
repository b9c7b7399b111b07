// cuMemcpy*, cuMemset*
#include <memory>
#include <vector>

#include "lib/cpu_device/capture.hpp"
#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/copy.hpp"
#include "lib/cpu_device/enqueue.hpp"
#include "lib/cpu_device/memory.hpp"
#include "lib/cpu_device/work.hpp"

namespace cudahot::cpu {
namespace {

// Memory that the driver cannot read later, because the caller may change it after the call.
bool is_pageable(CUmemorytype type, const void* pointer) {
  return type == CU_MEMORYTYPE_HOST && !MemoryMap::instance().find(reinterpret_cast<std::uintptr_t>(pointer));
}

// In the default stream, and done when the call returns.
CUresult copy_now(const CUDA_MEMCPY3D& copy) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  TicketPointer ticket;
  const StreamPointer& stream = entry->default_stream();
  if (const CUresult code = enqueue(*entry, *stream, CopyWork{copy, nullptr}, &ticket); code != CUDA_SUCCESS)
    return code;
  if (ticket != nullptr) ticket->wait();
  return entry->state();
}

// As the driver does it: a pageable source has been read when the call returns, and a pageable
// destination has been written.
CUresult copy_later(const CUDA_MEMCPY3D& copy, CUstream handle) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const StreamPointer stream = entry->stream(handle);
  if (stream == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  CopyWork work{copy, nullptr};
  if (const CUresult code = check_copy(*entry, copy); code != CUDA_SUCCESS) return code;
  const bool one_row = copy.Height == 1 && copy.Depth == 1;
  const bool from_pageable = is_pageable(copy.srcMemoryType, copy.srcHost);
  const bool capturing = anything_captures();
  if (from_pageable && one_row && !capturing && copy.WidthInBytes != 0 && copy.srcHost != nullptr) {
    const auto* source = static_cast<const std::byte*>(copy.srcHost) + copy.srcXInBytes;
    work.staged = std::make_shared<std::vector<std::byte>>(source, source + copy.WidthInBytes);
    work.copy.srcHost = work.staged->data();
    work.copy.srcXInBytes = 0;
  }
  TicketPointer ticket;
  if (const CUresult code = enqueue(*entry, *stream, std::move(work), &ticket); code != CUDA_SUCCESS) return code;
  const bool wait = is_pageable(copy.dstMemoryType, copy.dstHost) || (from_pageable && !one_row);
  if (ticket == nullptr || !wait) return CUDA_SUCCESS;
  ticket->wait();
  return entry->state();
}

CUDA_MEMCPY3D in_3d(const CUDA_MEMCPY2D& copy) {
  CUDA_MEMCPY3D whole{};
  whole.srcXInBytes = copy.srcXInBytes;
  whole.srcY = copy.srcY;
  whole.srcMemoryType = copy.srcMemoryType;
  whole.srcHost = copy.srcHost;
  whole.srcDevice = copy.srcDevice;
  whole.srcArray = copy.srcArray;
  whole.srcPitch = copy.srcPitch;
  whole.dstXInBytes = copy.dstXInBytes;
  whole.dstY = copy.dstY;
  whole.dstMemoryType = copy.dstMemoryType;
  whole.dstHost = copy.dstHost;
  whole.dstDevice = copy.dstDevice;
  whole.dstArray = copy.dstArray;
  whole.dstPitch = copy.dstPitch;
  whole.WidthInBytes = copy.WidthInBytes;
  whole.Height = copy.Height;
  whole.Depth = 1;
  return whole;
}

std::uintptr_t number(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

CUDA_MEMCPY3D to_device(CUdeviceptr to, const void* from, std::size_t bytes) {
  return linear_copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_HOST, number(from), bytes);
}
CUDA_MEMCPY3D to_host(void* to, CUdeviceptr from, std::size_t bytes) {
  return linear_copy(CU_MEMORYTYPE_HOST, number(to), CU_MEMORYTYPE_DEVICE, from, bytes);
}
CUDA_MEMCPY3D within_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return linear_copy(CU_MEMORYTYPE_DEVICE, to, CU_MEMORYTYPE_DEVICE, from, bytes);
}
CUDA_MEMCPY3D anywhere(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return linear_copy(CU_MEMORYTYPE_UNIFIED, to, CU_MEMORYTYPE_UNIFIED, from, bytes);
}
CUDA_MEMCPY3D to_array(CUarray to, std::size_t offset, const void* from, std::size_t bytes) {
  CUDA_MEMCPY3D copy = to_device(0, from, bytes);
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = to;
  copy.dstXInBytes = offset;
  return copy;
}
CUDA_MEMCPY3D from_array(void* to, CUarray from, std::size_t offset, std::size_t bytes) {
  CUDA_MEMCPY3D copy = to_host(to, 0, bytes);
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = from;
  copy.srcXInBytes = offset;
  return copy;
}

CUresult fill_later(CUdeviceptr to, std::size_t pitch, unsigned value, unsigned element_bytes, std::size_t width,
                    std::size_t height, CUstream stream) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  return enqueue(
      *entry, stream,
      FillWork{
          {.dst = to, .pitch = pitch, .value = value, .elementSize = element_bytes, .width = width, .height = height}});
}

// The driver's own does not wait either, but comes in the order of the default stream.
CUresult fill_now(CUdeviceptr to, std::size_t pitch, unsigned value, unsigned element_bytes, std::size_t width,
                  std::size_t height) {
  return fill_later(to, pitch, value, element_bytes, width, height, CU_STREAM_LEGACY);
}

}  // namespace
}  // namespace cudahot::cpu

using namespace cudahot::cpu;  // NOLINT: this file only defines the driver's functions over it

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) { return copy_now(anywhere(to, from, bytes)); }
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  return copy_now(to_device(to, from, bytes));
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) { return copy_now(to_host(to, from, bytes)); }
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copy_now(within_device(to, from, bytes));
}
CUresult cuMemcpyHtoA(CUarray to, std::size_t offset, const void* from, std::size_t bytes) {
  return copy_now(to_array(to, offset, from, bytes));
}
CUresult cuMemcpyAtoH(void* to, CUarray from, std::size_t offset, std::size_t bytes) {
  return copy_now(from_array(to, from, offset, bytes));
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D* copy) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : copy_now(in_3d(*copy));
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D* copy) { return cuMemcpy2D(copy); }
CUresult cuMemcpy3D(const CUDA_MEMCPY3D* copy) { return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : copy_now(*copy); }

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  // By address what is on the host, so that pageable memory is treated as such.
  CUDA_MEMCPY3D copy = anywhere(to, from, bytes);
  if (!MemoryMap::instance().find(from)) copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  if (!MemoryMap::instance().find(to)) copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  return copy_later(copy, stream);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  return copy_later(to_device(to, from, bytes), stream);
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return copy_later(to_host(to, from, bytes), stream);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return copy_later(within_device(to, from, bytes), stream);
}
CUresult cuMemcpyHtoAAsync(CUarray to, std::size_t offset, const void* from, std::size_t bytes, CUstream stream) {
  return copy_later(to_array(to, offset, from, bytes), stream);
}
CUresult cuMemcpyAtoHAsync(void* to, CUarray from, std::size_t offset, std::size_t bytes, CUstream stream) {
  return copy_later(from_array(to, from, offset, bytes), stream);
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D* copy, CUstream stream) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : copy_later(in_3d(*copy), stream);
}
CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D* copy, CUstream stream) {
  return copy == nullptr ? CUDA_ERROR_INVALID_VALUE : copy_later(*copy, stream);
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t count) {
  return fill_now(to, 0, value, 1, count, 1);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, std::size_t count) {
  return fill_now(to, 0, value, 2, count, 1);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned int value, std::size_t count) {
  return fill_now(to, 0, value, 4, count, 1);
}
CUresult cuMemsetD2D8(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width, std::size_t height) {
  return fill_now(to, pitch, value, 1, width, height);
}
CUresult cuMemsetD2D16(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width, std::size_t height) {
  return fill_now(to, pitch, value, 2, width, height);
}
CUresult cuMemsetD2D32(CUdeviceptr to, std::size_t pitch, unsigned int value, std::size_t width, std::size_t height) {
  return fill_now(to, pitch, value, 4, width, height);
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, std::size_t count, CUstream stream) {
  return fill_later(to, 0, value, 1, count, 1, stream);
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, std::size_t count, CUstream stream) {
  return fill_later(to, 0, value, 2, count, 1, stream);
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int value, std::size_t count, CUstream stream) {
  return fill_later(to, 0, value, 4, count, 1, stream);
}
CUresult cuMemsetD2D8Async(CUdeviceptr to, std::size_t pitch, unsigned char value, std::size_t width,
                           std::size_t height, CUstream stream) {
  return fill_later(to, pitch, value, 1, width, height, stream);
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, std::size_t pitch, unsigned short value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return fill_later(to, pitch, value, 2, width, height, stream);
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, std::size_t pitch, unsigned int value, std::size_t width,
                            std::size_t height, CUstream stream) {
  return fill_later(to, pitch, value, 4, width, height, stream);
}
