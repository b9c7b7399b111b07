// Healing: a user cache that is damaged as a whole starts anew in place, and what it was is kept beside it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "cache/healing_mark.hpp"
#include "cache/sqlite.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

// To be called without an open connection to it. `seen` is the mark from before the cache was opened and found to be
// damaged. Gives what happened, for a warning; nullopt: another process has healed it since. Only a file that says
// that it is a cudahot cache is changed. Errors: environment (it is not; it cannot be written), busy.
Result<std::optional<std::string>> heal(const std::filesystem::path& cache, const HealingMark& seen,
                                        Database::Sharing sharing);

}  // namespace cudahot::cache
