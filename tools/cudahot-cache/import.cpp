#include <fmt/format.h>

#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"
#include "tools/cudahot-cache/transfer.hpp"

namespace cudahot::tool {

int import_bundles(const Session& session, const std::vector<std::filesystem::path>& inputs) {
  Transfer transfer;
  auto into = open_or_make(session);
  if (!into) return report(into.error());
  for (const auto& input : inputs) {
    auto from = open_input(input, transfer.damaged);
    if (!from) return report(from.error());
    const auto keys = all_keys(*from);
    if (!keys) return report(keys.error());
    if (const auto done = copy_entries(*from, *keys, *into, transfer); !done) return report(done.error());
  }
  if (session.json) {
    Json json = {{"database", session.file.string()}};
    json.update(to_json(transfer));
    print(json);
  }
  message(fmt::format("{} imported, {} there already", counted(transfer.copied, "entry", "entries"), transfer.present));
  return report_damaged(transfer);
}

}  // namespace cudahot::tool
