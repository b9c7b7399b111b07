// zstd frames for the texts that are stored beside a CUBIN.
#pragma once

#include <string>
#include <string_view>

#include "cudahot/result.hpp"

namespace cudahot::cache {

// A frame that states its content's size. Never fails for want of anything but memory.
Result<std::string> compress(std::string_view text);

// Errors: damaged (not a frame of compress(), cut, or larger than any text we store).
Result<std::string> decompress(std::string_view frame);

}  // namespace cudahot::cache
