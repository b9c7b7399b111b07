// Salvage: what is sound in a database that is damaged as a whole, in a new one.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

#include "cache/store.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

struct Salvage {
  std::size_t entries = 0;
  std::size_t slices = 0;
  std::vector<Store::Problem> lost;
};

enum class DatabaseKind { bundle, user_cache };

// Which of them `file` is; also where it is damaged. Errors: not_found, environment (another program's, no database),
// busy, damaged (its first page).
Result<DatabaseKind> kind_of_database(const std::filesystem::path& file);

// Makes `copy`, which must not exist, out of every sound entry and slice of `file`, with their use counts. Errors: as
// kind_of_database; `copy` may be left then, for the caller to remove.
Result<Salvage> salvage(const std::filesystem::path& file, const std::filesystem::path& copy, DatabaseKind kind);

// Gives a user cache the content of `copy` in one transaction, so that processes that have it open go on with it.
// Errors: busy, environment, damaged.
Status replace_content(const std::filesystem::path& user_cache, const std::filesystem::path& copy);

}  // namespace cudahot::cache
