// Where things are: the running program, the library itself, the user's cache.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cudahot/result.hpp"

namespace cudahot::base {

// An environment variable; empty values count as not set.
std::optional<std::string> environment(const char* name);

// $CUDAHOT_CACHE, else $XDG_CACHE_HOME/cudahot/cache.db (if absolute), else ~/.cache/cudahot/cache.db.
// Errors: environment when neither is set.
Result<std::filesystem::path> user_cache_path();

// The running executable, symlinks resolved; empty if it cannot be known.
std::filesystem::path executable_path();

// The first `name` found on PATH that is an executable file.
std::optional<std::filesystem::path> find_program(const std::string& name);

}  // namespace cudahot::base
