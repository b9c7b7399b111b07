#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"
#include "tools/cudahot-cache/slices.hpp"
#include "tools/cudahot-cache/staged_database.hpp"
#include "tools/cudahot-cache/transfer.hpp"

namespace cudahot::tool {
namespace {

using cache::Store;

struct Export {
  std::vector<base::Digest> keys;
  std::vector<Store::StoredSlice> slices;
};

// Helper libraries come along with the architectures of the kernels, unless a kind is asked for; slices with their
// source, for the architectures that are left.
Result<Export> plan(Store& store, const Selection& selection) {
  const auto entries = store.list();
  if (!entries) return fail(entries.error());
  const auto chosen = choose(store, *entries, selection);
  if (!chosen) return fail(chosen.error());
  std::set<base::Digest> keys;
  std::set<region::SmArch> architectures;
  std::map<std::string, std::vector<region::SmArch>> by_source;
  for (const auto* entry : *chosen) {
    keys.insert(entry->key);
    if (!is_kernel(*entry)) continue;
    architectures.insert(entry->arch);
    by_source[entry->source].push_back(entry->arch);
  }
  Export result;
  for (const auto& entry : *entries) {
    const bool comes_along = !is_kernel(entry) && selection.filter.kind.empty() && architectures.contains(entry.arch);
    if (keys.contains(entry.key) || comes_along) result.keys.push_back(entry.key);
  }
  const auto slices = store.slices();
  if (!slices) return fail(slices.error());
  const bool whole = selection.keys.empty() && selection.filter.empty();
  for (const auto& stored : *slices) {
    const auto source = by_source.find(region::main_file(stored.slice).path);
    if (whole) result.slices.push_back(stored);
    else if (source != by_source.end()) result.slices.push_back(restrict(stored, source->second));
  }
  return result;
}

Result<Transfer> export_from(Store& from, const ExportOptions& options, Transfer transfer) {
  const auto chosen = plan(from, options.selection);
  if (!chosen) return fail(chosen.error());
  if (chosen->keys.empty() && chosen->slices.empty()) {
    return fail(ErrorCode::usage, "nothing matches, and no bundle was made");
  }
  auto staged = StagedDatabase::beside(options.output, options.force);
  if (!staged) return fail(staged.error());
  const auto made = staged->make_bundle([&](Store& bundle) -> Status {
    for (const auto& slice : chosen->slices) {
      if (const auto done = bundle.put_slice(slice); !done) return done;
      ++transfer.slices;
    }
    return copy_entries(from, chosen->keys, bundle, transfer);
  });
  if (!made) return fail(made.error());
  return transfer;
}

}  // namespace

int export_bundle(const Session& session, const ExportOptions& options) {
  Transfer transfer;
  auto from = open_input(session.file, transfer.damaged);
  if (!from) return report(from.error());
  auto exported = export_from(*from, options, Transfer{});
  if (!exported) return report(exported.error());
  exported->damaged.insert(exported->damaged.begin(), transfer.damaged.begin(), transfer.damaged.end());
  if (session.json) {
    Json json = {{"database", session.file.string()}, {"file", options.output.string()}};
    json.update(to_json(*exported));
    print(json);
  }
  message(fmt::format("'{}' has {} and {}", options.output.string(), counted(exported->copied, "entry", "entries"),
                      counted(exported->slices, "slice", "slices")));
  return report_damaged(*exported);
}

}  // namespace cudahot::tool
