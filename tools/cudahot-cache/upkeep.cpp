#include "tools/cudahot-cache/upkeep.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tools/cudahot-cache/format.hpp"

namespace cudahot::tool {
namespace {

constexpr std::size_t kEntriesInAStep = 100;
constexpr std::uint64_t kBytesInAStep = 16u << 20;

Result<std::uint64_t> file_bytes(cache::Store& store) {
  const auto size = store.size();
  if (!size) return fail(size.error());
  return size->file_bytes;
}

Status give_space_back(cache::Store& store) {
  for (std::uint64_t left = 0;;) {
    const auto size = store.size();
    if (!size) return fail(size.error());
    if (size->free_bytes == 0 || size->free_bytes == left) return {};
    left = size->free_bytes;
    if (const auto done = store.shrink(kBytesInAStep); !done) return done;
  }
}

}  // namespace

Result<Removal> remove_in_steps(cache::Store& store, const Chosen& chosen) {
  Removal removal;
  if (chosen.empty()) return removal;
  const auto before = file_bytes(store);
  if (!before) return fail(before.error());
  for (std::size_t begin = 0; begin < chosen.size(); begin += kEntriesInAStep) {
    std::vector<base::Digest> keys;
    for (std::size_t i = begin; i < std::min(begin + kEntriesInAStep, chosen.size()); ++i) {
      keys.push_back(chosen[i]->key);
    }
    const auto removed = store.remove(keys);
    if (!removed) return fail(removed.error());
    removal.entries += *removed;
  }
  if (const auto done = give_space_back(store); !done) return fail(done.error());
  const auto after = file_bytes(store);
  if (!after) return fail(after.error());
  removal.freed_bytes = *before - std::min(*before, *after);
  return removal;
}

void print_removal(const Session& session, const Chosen& chosen, bool dry_run, const Removal& removal) {
  std::uint64_t stored_bytes = 0;
  for (const auto* entry : chosen) stored_bytes += entry->stored_bytes;
  if (session.json) {
    print({{"database", session.file.string()},
           {"dry_run", dry_run},
           {"entries", summaries_to_json(chosen)},
           {"stored_bytes", stored_bytes},
           {"removed", removal.entries},
           {"freed_bytes", removal.freed_bytes}});
    return;
  }
  std::string text;
  for (const auto* entry : chosen) text.append(one_line(*entry)).append("\n");
  print(text);
  if (dry_run) {
    message(fmt::format("{} with {} would be removed", counted(chosen.size(), "entry", "entries"),
                        human_size(stored_bytes)));
  } else {
    message(fmt::format("{} removed, the file is {} shorter", counted(removal.entries, "entry", "entries"),
                        human_size(removal.freed_bytes)));
  }
}

}  // namespace cudahot::tool
