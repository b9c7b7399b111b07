// cuArray*
#include "lib/cpu_device/array.hpp"

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/handles.hpp"
#include "lib/cpu_device/memory.hpp"

namespace cudahot::cpu {

std::optional<std::size_t> channel_bytes(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
      return 4;
    default:
      return std::nullopt;
  }
}

CUresult element_bytes(CUarray_format format, unsigned channels, std::size_t& bytes) {
  const auto channel = channel_bytes(format);
  if (!channel) return CUDA_ERROR_NOT_SUPPORTED;
  if (channels != 1 && channels != 2 && channels != 4) return CUDA_ERROR_INVALID_VALUE;
  bytes = *channel * channels;
  return CUDA_SUCCESS;
}

Array::~Array() {
  if (data != nullptr) unmap_guarded(data, pitch() * rows());
}

}  // namespace cudahot::cpu

using cudahot::cpu::Array;
using cudahot::cpu::Entry;
using cudahot::cpu::find_handle;
using cudahot::cpu::HandleTable;

CUresult cuArray3DCreate(CUarray* result, const CUDA_ARRAY3D_DESCRIPTOR* wanted) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (result == nullptr || wanted == nullptr || wanted->Width == 0) return CUDA_ERROR_INVALID_VALUE;
  // Layers, cubes, volumes and gathers are beyond this device.
  if (wanted->Depth != 0 || (wanted->Flags & ~unsigned{CUDA_ARRAY3D_SURFACE_LDST}) != 0)
    return CUDA_ERROR_NOT_SUPPORTED;
  std::size_t bytes = 0;
  if (const CUresult code = cudahot::cpu::element_bytes(wanted->Format, wanted->NumChannels, bytes);
      code != CUDA_SUCCESS) {
    return code;
  }
  if (wanted->Width > cudahot::cpu::kMaxArrayExtent || wanted->Height > cudahot::cpu::kMaxArrayExtent) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto array = std::make_shared<Array>();
  array->context = entry->handle;
  array->format = wanted->Format;
  array->channels = wanted->NumChannels;
  array->width = wanted->Width;
  array->height = wanted->Height;
  array->flags = wanted->Flags;
  array->element_bytes = bytes;
  array->data = cudahot::cpu::map_guarded(array->pitch() * array->rows());
  if (array->data == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *result = HandleTable<Array>::instance().add(std::move(array));
  return CUDA_SUCCESS;
}

CUresult cuArrayCreate(CUarray* result, const CUDA_ARRAY_DESCRIPTOR* wanted) {
  if (wanted == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_ARRAY3D_DESCRIPTOR description{.Width = wanted->Width,
                                            .Height = wanted->Height,
                                            .Depth = 0,
                                            .Format = wanted->Format,
                                            .NumChannels = wanted->NumChannels,
                                            .Flags = 0};
  return cuArray3DCreate(result, &description);
}

CUresult cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR* description, CUarray handle) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto array = find_handle<Array>(handle);
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (description == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *description = {.Width = array->width,
                  .Height = array->height,
                  .Depth = 0,
                  .Format = array->format,
                  .NumChannels = array->channels,
                  .Flags = array->flags};
  return CUDA_SUCCESS;
}

CUresult cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR* description, CUarray handle) {
  CUDA_ARRAY3D_DESCRIPTOR whole;
  const CUresult code = cuArray3DGetDescriptor(&whole, handle);
  if (code != CUDA_SUCCESS) return code;
  if (description == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *description = {
      .Width = whole.Width, .Height = whole.Height, .Format = whole.Format, .NumChannels = whole.NumChannels};
  return CUDA_SUCCESS;
}

CUresult cuArrayDestroy(CUarray handle) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto array = HandleTable<Array>::instance().remove(handle);
  if (array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  entry->drain();
  array->destroyed = true;
  return CUDA_SUCCESS;
}
