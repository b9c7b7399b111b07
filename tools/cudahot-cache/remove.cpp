#include <algorithm>

#include <fmt/format.h>

#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/describe.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"
#include "tools/cudahot-cache/upkeep.hpp"

namespace cudahot::tool {

int remove(const Session& session, const RemoveOptions& options) {
  const Selection& selection = options.selection;
  if (!options.all && selection.keys.empty() && selection.filter.empty()) {
    return report({ErrorCode::usage, "name what to remove: keys, a filter such as --source FILE, or --all", {}, {}});
  }
  if (options.all && (!selection.keys.empty() || !selection.filter.empty())) {
    return report({ErrorCode::usage, "--all goes with neither keys nor filters", {}, {}});
  }
  auto store = options.dry_run ? open_store(session) : open_for_change(session);
  if (!store) return report(store.error());
  std::vector<cache::EntrySummary> entries;
  Chosen chosen;
  if (*store) {
    auto all = (*store)->list();
    if (!all) return report(all.error());
    entries = std::move(*all);
    auto found = choose(**store, entries, selection);
    if (!found) return report(found.error());
    chosen = std::move(*found);
  }
  Removal removal;
  if (*store && !options.dry_run) {
    const auto removed = remove_in_steps(**store, chosen);
    if (!removed) return report(removed.error());
    removal = *removed;
  }
  print_removal(session, chosen, options.dry_run, removal);
  return kFine;
}

}  // namespace cudahot::tool
