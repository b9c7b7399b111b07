// What tells one life of a user cache from the next, after it was damaged and started anew.
#pragma once

#include <filesystem>
#include <optional>

#include "lib/base/files.hpp"

namespace cudahot::cache {

struct HealingMark {
  std::optional<base::FileStamp> kept;  // of what was kept of the damaged one; nullopt: it never was damaged

  friend bool operator==(const HealingMark&, const HealingMark&) = default;
};

HealingMark healing_mark(const std::filesystem::path& cache);

}  // namespace cudahot::cache
