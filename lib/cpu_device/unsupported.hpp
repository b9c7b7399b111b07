// Functions of the driver that this device does not have.
#pragma once

#include <string_view>

namespace cudahot::cpu {

// By the name that the library exports ("cuMemcpy3DBatchAsync_v2").
bool is_unsupported(std::string_view exported_name);

}  // namespace cudahot::cpu
