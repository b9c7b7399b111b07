// Surface objects: arrays that running code reads and writes by element.
#pragma once

#include <cstdint>

#include "lib/cpu_device/array.hpp"

namespace cudahot::cpu {

// As the services of module_abi.h: x in bytes; boundary 0 trap, 1 clamp, 2 zero.
AccessFault surface_read(std::uint64_t object, std::int32_t x, std::int32_t y, std::uint32_t bytes,
                         std::int32_t boundary, void* value);
AccessFault surface_write(std::uint64_t object, std::int32_t x, std::int32_t y, std::uint32_t bytes,
                          std::int32_t boundary, const void* value);

}  // namespace cudahot::cpu
