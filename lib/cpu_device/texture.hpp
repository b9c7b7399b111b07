// Texture objects: one- and two-dimensional, read by element, by normalised coordinates, and
// filtered.
#pragma once

#include <cstdint>

#include "lib/cpu_device/array.hpp"

namespace cudahot::cpu {

// As the services of module_abi.h. raw: 1 when the components are 32-bit integers, 0 when they
// are the bits of floats.
AccessFault texture_fetch_2d(std::uint64_t object, float x, float y, std::uint32_t components[4], std::int32_t& raw);
AccessFault texture_fetch_linear(std::uint64_t object, std::int32_t x, std::uint32_t components[4], std::int32_t& raw);

}  // namespace cudahot::cpu
