// Log callback: the only way in which the libraries speak.
#pragma once

#include <functional>
#include <string_view>

namespace cudahot {

enum class LogLevel { debug, info, warning, error };

// Called from any thread, one call at a time; the text has no trailing newline and is valid
// only during the call. Must not call back into the object that logs.
using LogCallback = std::function<void(LogLevel level, std::string_view text)>;

}  // namespace cudahot
