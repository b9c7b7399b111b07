// Fetches from textures, and cuTexObject*. The rules are those of the appendix "Texture Fetching"
// of the CUDA C++ Programming Guide.
#include "lib/cpu_device/texture.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <memory>
#include <optional>

#include "lib/cpu_device/access_table.hpp"
#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/memory.hpp"
#include "lib/cpu_device/texel.hpp"

namespace cudahot::cpu {
namespace {

struct Texture {
  CUDA_RESOURCE_DESC resource{};
  CUDA_TEXTURE_DESC sampling{};
  std::shared_ptr<Array> array;  // nullptr: linear memory
  TexelFormat format;
  const std::byte* data = nullptr;
  std::size_t element_bytes = 0;
  std::size_t pitch = 0;
  std::int64_t width = 0;
  std::int64_t height = 0;  // 0: one-dimensional

  bool normalised() const { return (sampling.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0; }
  const std::byte* element(std::int64_t x, std::int64_t y) const {
    return data + static_cast<std::size_t>(y) * pitch + static_cast<std::size_t>(x) * element_bytes;
  }
};

// The element that stands for index `at` of `count`; nullopt: the border.
std::optional<std::int64_t> addressed(std::int64_t at, std::int64_t count, CUaddress_mode mode, bool normalised) {
  // Wrapping and mirroring exist for normalised coordinates only; else they clamp.
  if (!normalised && (mode == CU_TR_ADDRESS_MODE_WRAP || mode == CU_TR_ADDRESS_MODE_MIRROR)) {
    mode = CU_TR_ADDRESS_MODE_CLAMP;
  }
  const auto modulo = [at](std::int64_t period) { return (at % period + period) % period; };
  switch (mode) {
    case CU_TR_ADDRESS_MODE_WRAP:
      return modulo(count);
    case CU_TR_ADDRESS_MODE_MIRROR: {
      const std::int64_t folded = modulo(2 * count);
      return folded < count ? folded : 2 * count - 1 - folded;
    }
    case CU_TR_ADDRESS_MODE_BORDER:
      if (at < 0 || at >= count) return std::nullopt;
      return at;
    default:
      return std::clamp<std::int64_t>(at, 0, count - 1);
  }
}

// Index and, for filtering, the weight of the element behind it.
struct Position {
  std::int64_t index;
  float weight;
};

Position position(float coordinate, std::int64_t count, bool normalised, bool filtered) {
  if (!(std::abs(coordinate) < 1e9F)) coordinate = coordinate > 0 ? 1e9F : coordinate < 0 ? -1e9F : 0.0F;
  const double scaled = normalised ? double{coordinate} * static_cast<double>(count) : double{coordinate};
  const double shifted = filtered ? scaled - 0.5 : scaled;
  const double whole = std::floor(shifted);
  // Weights have 8 fractional bits.
  const double weight = filtered ? std::round((shifted - whole) * 256.0) / 256.0 : 0.0;
  return {static_cast<std::int64_t>(whole), static_cast<float>(weight)};
}

// A row of a one-dimensional texture has no y: all are the same.
std::optional<std::int64_t> addressed_row(const Texture& texture, std::int64_t y) {
  if (texture.height == 0) return 0;
  return addressed(y, texture.height, texture.sampling.addressMode[1], texture.normalised());
}

std::array<float, 4> float_at(const Texture& texture, std::int64_t x, std::int64_t y) {
  const auto column = addressed(x, texture.width, texture.sampling.addressMode[0], texture.normalised());
  const auto row = addressed_row(texture, y);
  if (!column || !row) return std::to_array(texture.sampling.borderColor);
  return float_texel(texture.format, texture.element(*column, *row));
}

std::array<std::uint32_t, 4> raw_at(const Texture& texture, std::int64_t x, std::int64_t y) {
  const auto column = addressed(x, texture.width, texture.sampling.addressMode[0], texture.normalised());
  const auto row = addressed_row(texture, y);
  if (column && row) return raw_texel(texture.format, texture.element(*column, *row));
  std::array<std::uint32_t, 4> border{};
  for (std::size_t index = 0; index < 4; ++index) {
    border[index] = static_cast<std::uint32_t>(static_cast<std::int64_t>(texture.sampling.borderColor[index]));
  }
  return border;
}

std::array<float, 4> filtered(const Texture& texture, Position x, Position y) {
  std::array<float, 4> sum{};
  for (int corner = 0; corner < 4; ++corner) {
    const int dx = corner & 1;
    const int dy = corner >> 1;
    const float weight = (dx != 0 ? x.weight : 1.0F - x.weight) * (dy != 0 ? y.weight : 1.0F - y.weight);
    if (weight == 0.0F) continue;  // also keeps what is not finite out of it
    const std::array<float, 4> texel = float_at(texture, x.index + dx, y.index + dy);
    for (std::size_t index = 0; index < 4; ++index) sum[index] += weight * texel[index];
  }
  return sum;
}

AccessFault find_texture(std::uint64_t object, const Texture*& texture) {
  texture = AccessTable<Texture>::instance().find(object);
  if (texture == nullptr) return {CUDA_ERROR_ILLEGAL_ADDRESS, "a texture object that does not exist is used"};
  if (texture->array != nullptr && texture->array->destroyed) {
    return {CUDA_ERROR_ILLEGAL_ADDRESS, "the texture of a destroyed array is used"};
  }
  return {};
}

void store(const std::array<float, 4>& from, std::uint32_t to[4]) {
  for (std::size_t index = 0; index < 4; ++index) to[index] = std::bit_cast<std::uint32_t>(from[index]);
}

}  // namespace

AccessFault texture_fetch_2d(std::uint64_t object, float x, float y, std::uint32_t components[4], std::int32_t& raw) {
  const Texture* texture = nullptr;
  if (const AccessFault fault = find_texture(object, texture); fault.code != CUDA_SUCCESS) return fault;
  if (texture->resource.resType == CU_RESOURCE_TYPE_LINEAR) {
    return {CUDA_ERROR_LAUNCH_FAILED, "a texture of linear memory can only be read with tex1Dfetch"};
  }
  const bool linear = texture->sampling.filterMode == CU_TR_FILTER_MODE_LINEAR;
  const Position column = position(x, texture->width, texture->normalised(), linear);
  const Position row =
      texture->height == 0 ? Position{0, 0} : position(y, texture->height, texture->normalised(), linear);
  raw = texture->format.raw ? 1 : 0;
  if (texture->format.raw) {
    std::ranges::copy(raw_at(*texture, column.index, row.index), components);
  } else {
    store(linear ? filtered(*texture, column, row) : float_at(*texture, column.index, row.index), components);
  }
  return {};
}

AccessFault texture_fetch_linear(std::uint64_t object, std::int32_t x, std::uint32_t components[4], std::int32_t& raw) {
  const Texture* texture = nullptr;
  if (const AccessFault fault = find_texture(object, texture); fault.code != CUDA_SUCCESS) return fault;
  if (texture->resource.resType != CU_RESOURCE_TYPE_LINEAR) {
    return {CUDA_ERROR_LAUNCH_FAILED, "tex1Dfetch reads textures of linear memory only"};
  }
  raw = texture->format.raw ? 1 : 0;
  std::fill_n(components, 4, 0U);
  if (x < 0 || x >= texture->width) return {};  // reads as zero
  if (texture->format.raw) std::ranges::copy(raw_texel(texture->format, texture->element(x, 0)), components);
  else store(float_texel(texture->format, texture->element(x, 0)), components);
  return {};
}

namespace {

// Fills in where the texels are.
CUresult take_resource(const CUDA_RESOURCE_DESC& resource, Texture& texture) {
  const auto element = [&](CUarray_format format, unsigned channels) {
    texture.format.format = format;
    texture.format.channels = channels;
    return element_bytes(format, channels, texture.element_bytes);
  };
  switch (resource.resType) {
    case CU_RESOURCE_TYPE_ARRAY: {
      texture.array = find_handle<Array>(resource.res.array.hArray);
      if (texture.array == nullptr) return CUDA_ERROR_INVALID_HANDLE;
      texture.data = texture.array->data;
      texture.pitch = texture.array->pitch();
      texture.width = static_cast<std::int64_t>(texture.array->width);
      texture.height = static_cast<std::int64_t>(texture.array->height);
      return element(texture.array->format, texture.array->channels);
    }
    case CU_RESOURCE_TYPE_LINEAR: {
      const auto& linear = resource.res.linear;
      if (!MemoryMap::instance().is_accessible(linear.devPtr, linear.sizeInBytes)) return CUDA_ERROR_INVALID_VALUE;
      if (const CUresult code = element(linear.format, linear.numChannels); code != CUDA_SUCCESS) return code;
      texture.data = reinterpret_cast<const std::byte*>(linear.devPtr);
      texture.width = static_cast<std::int64_t>(linear.sizeInBytes / texture.element_bytes);
      return CUDA_SUCCESS;
    }
    case CU_RESOURCE_TYPE_PITCH2D: {
      const auto& rows = resource.res.pitch2D;
      if (const CUresult code = element(rows.format, rows.numChannels); code != CUDA_SUCCESS) return code;
      if (rows.width == 0 || rows.height == 0 || rows.width > kMaxArrayExtent || rows.height > kMaxArrayExtent ||
          rows.width * texture.element_bytes > rows.pitchInBytes ||
          !MemoryMap::instance().is_accessible(
              rows.devPtr, rows.pitchInBytes * (rows.height - 1) + rows.width * texture.element_bytes)) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      texture.data = reinterpret_cast<const std::byte*>(rows.devPtr);
      texture.pitch = rows.pitchInBytes;
      texture.width = static_cast<std::int64_t>(rows.width);
      texture.height = static_cast<std::int64_t>(rows.height);
      return CUDA_SUCCESS;
    }
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace
}  // namespace cudahot::cpu

using cudahot::cpu::AccessTable;
using cudahot::cpu::Entry;
using cudahot::cpu::Texture;

CUresult cuTexObjectCreate(CUtexObject* result, const CUDA_RESOURCE_DESC* resource, const CUDA_TEXTURE_DESC* sampling,
                           const CUDA_RESOURCE_VIEW_DESC* view) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (result == nullptr || resource == nullptr || sampling == nullptr) return CUDA_ERROR_INVALID_VALUE;
  constexpr unsigned kKnown =
      CU_TRSF_READ_AS_INTEGER | CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION;
  if (view != nullptr || (sampling->flags & ~kKnown) != 0) return CUDA_ERROR_NOT_SUPPORTED;
  auto texture = std::make_unique<Texture>();
  texture->resource = *resource;
  texture->sampling = *sampling;
  if (const CUresult code = cudahot::cpu::take_resource(*resource, *texture); code != CUDA_SUCCESS) return code;
  texture->format.raw = cudahot::cpu::is_raw(texture->format.format, (sampling->flags & CU_TRSF_READ_AS_INTEGER) != 0);
  if (texture->format.raw && sampling->filterMode == CU_TR_FILTER_MODE_LINEAR) return CUDA_ERROR_INVALID_VALUE;
  *result = AccessTable<Texture>::instance().add(std::move(texture));
  return *result == 0 ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuTexObjectDestroy(CUtexObject object) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  entry->drain();
  return AccessTable<Texture>::instance().remove(object) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* resource, CUtexObject object) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const Texture* texture = AccessTable<Texture>::instance().find(object);
  if (resource == nullptr || texture == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *resource = texture->resource;
  return CUDA_SUCCESS;
}

CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* sampling, CUtexObject object) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const Texture* texture = AccessTable<Texture>::instance().find(object);
  if (sampling == nullptr || texture == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *sampling = texture->sampling;
  return CUDA_SUCCESS;
}
