// Removing entries while programs go on using the cache, and telling about it.
#pragma once

#include <cstdint>

#include "cache/store.hpp"
#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {

struct Removal {
  std::uint64_t entries = 0;
  std::uint64_t freed_bytes = 0;  // by which the file is shorter
};

// In steps that each hold the write lock for a moment, and gives the space back to the file system. Errors: as
// Store::remove; what was removed until then stays so.
Result<Removal> remove_in_steps(cache::Store& store, const Chosen& chosen);

void print_removal(const Session& session, const Chosen& chosen, bool dry_run, const Removal& removal);

}  // namespace cudahot::tool
