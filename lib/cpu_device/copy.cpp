#include "lib/cpu_device/copy.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "lib/cpu_device/array.hpp"
#include "lib/cpu_device/log.hpp"
#include "lib/cpu_device/memory.hpp"

namespace cudahot::cpu {
namespace {

// One end of a copy: where its first byte is, and how far it is to the next row and slice.
struct Side {
  std::byte* start = nullptr;
  std::size_t pitch = 0;
  std::size_t slice = 0;
};

struct SideParameters {
  std::string_view name;  // "source"
  CUmemorytype type;
  std::uintptr_t address;
  CUarray array;
  std::size_t x, y, z, lod;
  std::size_t pitch, height;
};

SideParameters source_of(const CUDA_MEMCPY3D& copy) {
  const std::uintptr_t address =
      copy.srcMemoryType == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uintptr_t>(copy.srcHost) : copy.srcDevice;
  return {"source",  copy.srcMemoryType, address,     copy.srcArray, copy.srcXInBytes,
          copy.srcY, copy.srcZ,          copy.srcLOD, copy.srcPitch, copy.srcHeight};
}

SideParameters destination_of(const CUDA_MEMCPY3D& copy) {
  const std::uintptr_t address =
      copy.dstMemoryType == CU_MEMORYTYPE_HOST ? reinterpret_cast<std::uintptr_t>(copy.dstHost) : copy.dstDevice;
  return {"destination", copy.dstMemoryType, address,     copy.dstArray, copy.dstXInBytes,
          copy.dstY,     copy.dstZ,          copy.dstLOD, copy.dstPitch, copy.dstHeight};
}

CUresult out_of_range(std::string_view what, std::uintptr_t start, std::size_t bytes) {
  const auto range = MemoryMap::instance().find(start);
  const std::string where =
      range ? fmt::format("which is {} bytes into an allocation of {} bytes", start - range->start, range->bytes)
            : std::string("which lies in no allocation, or one that was freed");
  return misuse(CUDA_ERROR_INVALID_VALUE, fmt::format("{} of {} bytes at {:#x}, {}", what, bytes, start, where));
}

CUresult resolve_array(const SideParameters& parameters, const CUDA_MEMCPY3D& copy, Side& side) {
  const auto array = find_handle<Array>(parameters.array);
  if (array == nullptr) {
    return misuse(CUDA_ERROR_INVALID_HANDLE, "a copy names an array that does not exist, or was destroyed");
  }
  if (copy.Depth != 1 || parameters.z != 0) return CUDA_ERROR_INVALID_VALUE;
  if (parameters.x > array->pitch() || copy.WidthInBytes > array->pitch() - parameters.x ||
      parameters.y > array->rows() || copy.Height > array->rows() - parameters.y) {
    return misuse(
        CUDA_ERROR_INVALID_VALUE,
        fmt::format("copy: {} of {} bytes by {} rows at ({}, {}) of an array of {} bytes by {} rows", parameters.name,
                    copy.WidthInBytes, copy.Height, parameters.x, parameters.y, array->pitch(), array->rows()));
  }
  side = {array->data + parameters.y * array->pitch() + parameters.x, array->pitch(), 0};
  return CUDA_SUCCESS;
}

CUresult resolve(const SideParameters& parameters, const CUDA_MEMCPY3D& copy, Side& side) {
  if (parameters.lod != 0) return CUDA_ERROR_INVALID_VALUE;
  if (parameters.type == CU_MEMORYTYPE_ARRAY) return resolve_array(parameters, copy, side);
  const bool one_row = copy.Height == 1 && copy.Depth == 1;
  const std::size_t pitch = parameters.pitch == 0 ? parameters.x + copy.WidthInBytes : parameters.pitch;
  if (!one_row && pitch < parameters.x + copy.WidthInBytes) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t height = parameters.height == 0 ? parameters.y + copy.Height : parameters.height;
  const std::size_t slice = pitch * height;
  if (copy.Depth > 1 && height < parameters.y + copy.Height) return CUDA_ERROR_INVALID_VALUE;
  const std::uintptr_t start = parameters.address + parameters.z * slice + parameters.y * pitch + parameters.x;
  const std::size_t span = (copy.Depth - 1) * slice + (copy.Height - 1) * pitch + copy.WidthInBytes;
  const MemoryMap& map = MemoryMap::instance();
  switch (parameters.type) {
    case CU_MEMORYTYPE_DEVICE:
      if (!map.is_accessible(start, span)) return out_of_range(fmt::format("copy: {}", parameters.name), start, span);
      break;
    case CU_MEMORYTYPE_HOST:
    case CU_MEMORYTYPE_UNIFIED:
      if (start == 0) return CUDA_ERROR_INVALID_VALUE;
      if (!map.is_plain_or_inside(reinterpret_cast<const void*>(start), span)) {
        return out_of_range(fmt::format("copy: {}", parameters.name), start, span);
      }
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  side = {reinterpret_cast<std::byte*>(start), pitch, slice};
  return CUDA_SUCCESS;
}

bool is_empty(const CUDA_MEMCPY3D& copy) { return copy.WidthInBytes == 0 || copy.Height == 0 || copy.Depth == 0; }

CUresult resolve(const CUDA_MEMCPY3D& copy, Side& from, Side& to) {
  if (const CUresult code = resolve(source_of(copy), copy, from); code != CUDA_SUCCESS) return code;
  return resolve(destination_of(copy), copy, to);
}

template <typename Element>
void fill_row(std::byte* row, std::size_t count, unsigned value) {
  const auto element = static_cast<Element>(value);
  for (std::size_t index = 0; index < count; ++index)
    std::memcpy(row + index * sizeof element, &element, sizeof element);
}

}  // namespace

CUresult check_copy(const Context&, const CUDA_MEMCPY3D& copy) {
  Side from;
  Side to;
  return is_empty(copy) ? CUDA_SUCCESS : resolve(copy, from, to);
}

void run_copy(Context& context, const CUDA_MEMCPY3D& copy) {
  Side from;
  Side to;
  if (is_empty(copy)) return;
  if (const CUresult code = resolve(copy, from, to); code != CUDA_SUCCESS) {
    context.lose(CUDA_ERROR_ILLEGAL_ADDRESS,
                 "a queued copy uses memory that was freed before it ran; its context is lost");
    return;
  }
  for (std::size_t z = 0; z < copy.Depth; ++z) {
    for (std::size_t y = 0; y < copy.Height; ++y) {
      std::memmove(to.start + z * to.slice + y * to.pitch, from.start + z * from.slice + y * from.pitch,
                   copy.WidthInBytes);
    }
  }
}

CUresult check_fill(const CUDA_MEMSET_NODE_PARAMS& fill) {
  if (fill.elementSize != 1 && fill.elementSize != 2 && fill.elementSize != 4) return CUDA_ERROR_INVALID_VALUE;
  if (fill.width == 0 || fill.height == 0) return CUDA_SUCCESS;
  if (fill.dst % fill.elementSize != 0) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t row = fill.width * fill.elementSize;
  if (row / fill.elementSize != fill.width) return CUDA_ERROR_INVALID_VALUE;
  if (fill.height > 1 && (fill.pitch < row || fill.pitch % fill.elementSize != 0)) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t span = (fill.height - 1) * fill.pitch + row;
  if (!MemoryMap::instance().is_accessible(fill.dst, span)) return out_of_range("memset", fill.dst, span);
  return CUDA_SUCCESS;
}

void run_fill(const CUDA_MEMSET_NODE_PARAMS& fill) {
  for (std::size_t y = 0; y < fill.height; ++y) {
    auto* row = reinterpret_cast<std::byte*>(fill.dst + y * fill.pitch);
    switch (fill.elementSize) {
      case 1:
        fill_row<std::uint8_t>(row, fill.width, fill.value);
        break;
      case 2:
        fill_row<std::uint16_t>(row, fill.width, fill.value);
        break;
      default:
        fill_row<std::uint32_t>(row, fill.width, fill.value);
        break;
    }
  }
}

CUDA_MEMCPY3D linear_copy(CUmemorytype to_type, std::uintptr_t to, CUmemorytype from_type, std::uintptr_t from,
                          std::size_t bytes) {
  CUDA_MEMCPY3D copy{};
  copy.srcMemoryType = from_type;
  copy.srcHost = reinterpret_cast<const void*>(from);
  copy.srcDevice = from;
  copy.dstMemoryType = to_type;
  copy.dstHost = reinterpret_cast<void*>(to);
  copy.dstDevice = to;
  copy.WidthInBytes = bytes;
  copy.Height = 1;
  copy.Depth = 1;
  return copy;
}

}  // namespace cudahot::cpu
