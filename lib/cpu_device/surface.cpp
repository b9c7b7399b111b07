// Access to surfaces, and cuSurfObject*.
#include "lib/cpu_device/surface.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "lib/cpu_device/access_table.hpp"
#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/log.hpp"

namespace cudahot::cpu {
namespace {

struct Surface {
  std::shared_ptr<Array> array;
  CUDA_RESOURCE_DESC description;
};

enum Boundary { kTrap = 0, kClamp = 1, kZero = 2 };

// Where the access goes. No fault and nullptr: outside, with zero for boundary.
AccessFault locate(std::uint64_t object, std::int32_t x, std::int32_t y, std::uint32_t bytes, std::int32_t boundary,
                   std::byte*& place) {
  place = nullptr;
  const Surface* surface = AccessTable<Surface>::instance().find(object);
  if (surface == nullptr) return {CUDA_ERROR_ILLEGAL_ADDRESS, "a surface object that does not exist is used"};
  const Array& array = *surface->array;
  if (array.destroyed) return {CUDA_ERROR_ILLEGAL_ADDRESS, "the surface of a destroyed array is used"};
  if (bytes == 0 || x % static_cast<std::int32_t>(bytes) != 0) {
    return {CUDA_ERROR_MISALIGNED_ADDRESS,
            "x of a surface access (it counts bytes) is no multiple of the element size"};
  }
  const auto row = static_cast<std::int64_t>(array.pitch());
  const auto rows = static_cast<std::int64_t>(array.rows());
  std::int64_t column = x;
  std::int64_t line = y;
  const bool outside = column < 0 || column + bytes > row || line < 0 || line >= rows;
  if (outside && boundary == kTrap) {
    return {CUDA_ERROR_LAUNCH_FAILED, "a surface access out of range (with cudaBoundaryModeTrap; x counts bytes)"};
  }
  if (outside && boundary == kZero) return {};
  if (row < bytes) return {CUDA_ERROR_LAUNCH_FAILED, "a surface access is wider than the surface"};
  column = std::clamp<std::int64_t>(column, 0, row - bytes);
  line = std::clamp<std::int64_t>(line, 0, rows - 1);
  place = array.data + line * row + column;
  return {};
}

}  // namespace

AccessFault surface_read(std::uint64_t object, std::int32_t x, std::int32_t y, std::uint32_t bytes,
                         std::int32_t boundary, void* value) {
  std::byte* place = nullptr;
  const AccessFault fault = locate(object, x, y, bytes, boundary, place);
  if (place != nullptr) std::memcpy(value, place, bytes);
  else if (fault.code == CUDA_SUCCESS) std::memset(value, 0, bytes);
  return fault;
}

AccessFault surface_write(std::uint64_t object, std::int32_t x, std::int32_t y, std::uint32_t bytes,
                          std::int32_t boundary, const void* value) {
  std::byte* place = nullptr;
  const AccessFault fault = locate(object, x, y, bytes, boundary, place);
  if (place != nullptr) std::memcpy(place, value, bytes);
  return fault;
}

}  // namespace cudahot::cpu

using cudahot::cpu::AccessTable;
using cudahot::cpu::Array;
using cudahot::cpu::Entry;
using cudahot::cpu::Surface;

CUresult cuSurfObjectCreate(CUsurfObject* result, const CUDA_RESOURCE_DESC* resource) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (result == nullptr || resource == nullptr || resource->flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (resource->resType != CU_RESOURCE_TYPE_ARRAY) return CUDA_ERROR_INVALID_VALUE;
  auto array = cudahot::cpu::find_handle<Array>(resource->res.array.hArray);
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if ((array->flags & CUDA_ARRAY3D_SURFACE_LDST) == 0) {
    return cudahot::cpu::misuse(CUDA_ERROR_INVALID_VALUE,
                                "a surface object of an array that was made without CUDA_ARRAY3D_SURFACE_LDST");
  }
  *result = AccessTable<Surface>::instance().add(std::make_unique<Surface>(Surface{std::move(array), *resource}));
  return *result == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuSurfObjectDestroy(CUsurfObject object) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  entry->drain();
  return AccessTable<Surface>::instance().remove(object) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUsurfObject object) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const Surface* surface = AccessTable<Surface>::instance().find(object);
  if (resource == nullptr || surface == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *resource = surface->description;
  return CUDA_SUCCESS;
}
