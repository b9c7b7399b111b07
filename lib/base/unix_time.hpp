// The time of day as stored formats have it.
#pragma once

#include <chrono>
#include <cstdint>

namespace cudahot::base {

// Seconds since 1970 (UTC).
inline std::int64_t now_unix() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace cudahot::base
