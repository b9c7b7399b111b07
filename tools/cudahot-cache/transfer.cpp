#include "tools/cudahot-cache/transfer.hpp"

#include <unordered_set>

#include <fmt/format.h>

#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {

using cache::Store;

Result<Store> open_input(const std::filesystem::path& file, std::vector<std::string>& damaged) {
  return Store::open(file, Store::Mode::inspect,
                     [&damaged](LogLevel, std::string_view text) { damaged.emplace_back(text); });
}

Result<std::vector<base::Digest>> all_keys(Store& store) {
  const auto entries = store.list();
  if (!entries) return fail(entries.error());
  const auto keys = store.keys_with_prefix("");
  if (!keys) return fail(keys.error());
  std::vector<base::Digest> all;
  for (const auto& entry : *entries) all.push_back(entry.key);
  const std::unordered_set<base::Digest> listed(all.begin(), all.end());
  for (const auto& key : *keys) {
    if (!listed.contains(key)) all.push_back(key);
  }
  return all;
}

Status copy_entries(Store& from, const std::vector<base::Digest>& keys, Store& into, Transfer& transfer) {
  for (const base::Digest& key : keys) {
    const auto entry = from.entry(key);
    if (!entry && entry.error().code != ErrorCode::damaged) return fail(entry.error());
    if (!entry) {
      transfer.damaged.push_back(fmt::format("'{}': {}", from.file().string(), entry.error().message));
      continue;
    }
    if (!*entry) continue;  // removed meanwhile
    const auto copied = into.copy(**entry);
    if (!copied) return fail(copied.error());
    ++(*copied ? transfer.copied : transfer.present);
  }
  return {};
}

int report_damaged(const Transfer& transfer) {
  for (const std::string& text : transfer.damaged) message("left out: " + printable(text));
  return transfer.damaged.empty() ? kFine : kProblem;
}

Json to_json(const Transfer& transfer) {
  return {{"entries", transfer.copied},
          {"already_there", transfer.present},
          {"slices", transfer.slices},
          {"damaged", transfer.damaged}};
}

}  // namespace cudahot::tool
