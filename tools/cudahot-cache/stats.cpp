#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/describe.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {
namespace {

struct Figures {
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  std::uint64_t hits = 0;

  void add(const cache::EntrySummary& entry) {
    ++entries;
    bytes += entry.blob_bytes;
    hits += entry.hits;
  }
};

nlohmann::ordered_json to_json(const Figures& figures) {
  return {{"entries", figures.entries}, {"bytes", figures.bytes}, {"hits", figures.hits}};
}

}  // namespace

int stats(const Session& session) {
  auto store = open_store(session);
  if (!store) return report(store.error());
  std::vector<cache::EntrySummary> entries;
  std::size_t slices = 0;
  if (*store) {
    auto all = (*store)->list();
    if (!all) return report(all.error());
    entries = std::move(*all);
    const auto stored = (*store)->slices();
    if (!stored) return report(stored.error());
    slices = stored->size();
  }
  std::error_code error;
  const auto file_size = std::filesystem::file_size(session.file, error);
  const std::uint64_t file_bytes = error ? 0 : file_size;

  Figures total;
  std::map<region::SmArch, Figures> by_arch;
  std::int64_t oldest = 0;
  std::int64_t newest = 0;
  for (const cache::EntrySummary& entry : entries) {
    total.add(entry);
    by_arch[entry.arch].add(entry);
    oldest = oldest == 0 ? entry.created_unix : std::min(oldest, entry.created_unix);
    newest = std::max(newest, entry.created_unix);
  }

  if (session.json) {
    nlohmann::ordered_json architectures = nlohmann::ordered_json::object();
    for (const auto& [arch, figures] : by_arch) architectures[region::to_string(arch)] = to_json(figures);
    nlohmann::ordered_json json = {{"database", session.file.string()}, {"file_bytes", file_bytes}, {"slices", slices}};
    json.update(to_json(total));
    json["oldest_unix"] = oldest == 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(oldest);
    json["newest_unix"] = newest == 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(newest);
    json["architectures"] = std::move(architectures);
    print(json);
    return kFine;
  }
  print(fmt::format("database  {}\nfile      {}\nslices    {}\noldest    {}\nnewest    {}\n\n",
                    printable(session.file.string()), human_size(file_bytes), slices, utc_time(oldest),
                    utc_time(newest)));
  std::vector<std::vector<std::string>> rows;
  const auto add_row = [&](const std::string& name, const Figures& figures) {
    rows.push_back(
        {name, fmt::format("{}", figures.entries), human_size(figures.bytes), fmt::format("{}", figures.hits)});
  };
  for (const auto& [arch, figures] : by_arch) add_row(region::to_string(arch), figures);
  add_row("all", total);
  print(table({{"ARCH"}, {"ENTRIES", true}, {"SIZE", true}, {"HITS", true}}, rows, 0));
  return kFine;
}

}  // namespace cudahot::tool
