// How long a call waits for another process before it returns busy.
#pragma once

#include <chrono>

namespace cudahot::cache {

inline constexpr std::chrono::milliseconds kShortWait{20};  // where a launch waits, which could compile meanwhile
inline constexpr std::chrono::milliseconds kLongWait{500};

}  // namespace cudahot::cache
