#include <algorithm>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/describe.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {
namespace {

using cache::EntrySummary;
using Less = std::function<bool(const EntrySummary&, const EntrySummary&)>;

constexpr std::size_t kShortKey = 12;

// Text ascending, figures with the largest and ages with the youngest first.
Less order_by(const std::string& column) {
  static const std::map<std::string, Less> kOrders = {
      {"age", [](const auto& a, const auto& b) { return a.created_unix > b.created_unix; }},
      {"name", [](const auto& a, const auto& b) { return a.name < b.name; }},
      {"region", [](const auto& a, const auto& b) { return a.regions < b.regions; }},
      {"arch", [](const auto& a, const auto& b) { return a.arch < b.arch; }},
      {"tier", [](const auto& a, const auto& b) { return tier_of(a) < tier_of(b); }},
      {"size", [](const auto& a, const auto& b) { return a.blob_bytes > b.blob_bytes; }},
      {"regs", [](const auto& a, const auto& b) { return a.registers > b.registers; }},
      {"shared", [](const auto& a, const auto& b) { return a.static_shared_bytes > b.static_shared_bytes; }},
      {"hits", [](const auto& a, const auto& b) { return a.hits > b.hits; }}};
  return kOrders.at(column);
}

Result<std::vector<EntrySummary>> select(std::vector<EntrySummary> entries, const ListOptions& options) {
  std::vector<region::SmArch> architectures;
  for (const std::string& text : options.architectures) {
    const auto parsed = region::parse_sm_arch_list(text);
    if (!parsed) return fail(parsed.error());
    architectures.insert(architectures.end(), parsed->begin(), parsed->end());
  }
  std::erase_if(entries, [&](const EntrySummary& entry) {
    const bool wrong_arch = !architectures.empty() &&
                            std::find(architectures.begin(), architectures.end(), entry.arch) == architectures.end();
    return wrong_arch || entry.name.find(options.name) == std::string::npos;
  });
  std::stable_sort(entries.begin(), entries.end(), order_by(options.sort));
  if (options.reverse) std::reverse(entries.begin(), entries.end());
  return entries;
}

std::string name_of(const EntrySummary& entry) {
  switch (entry.kind) {
    case cache::ArtifactKind::cubin:
      return printable(entry.name);
    case cache::ArtifactKind::library_cubin:
      return printable(entry.name) + " (cubin)";
    case cache::ArtifactKind::library_ltoir:
      return printable(entry.name) + " (ltoir)";
  }
  return {};
}

std::string to_table(const std::vector<EntrySummary>& entries) {
  const std::vector<Column> columns = {{"KEY"},       {"NAME", false, true}, {"REGION", false, true}, {"ARCH"},
                                       {"TIER"},      {"SIZE", true},        {"REGS", true},          {"SHARED", true},
                                       {"AGE", true}, {"HITS", true}};
  const std::int64_t now = now_unix();
  std::vector<std::vector<std::string>> rows;
  for (const EntrySummary& entry : entries) {
    const auto figure = [&](std::string text) { return is_kernel(entry) ? std::move(text) : std::string("-"); };
    rows.push_back({base::to_hex(entry.key).substr(0, kShortKey), name_of(entry),
                    entry.regions.empty() ? "-" : printable(entry.regions), region::to_string(entry.arch),
                    figure(tier_of(entry)), human_size(entry.blob_bytes), figure(fmt::format("{}", entry.registers)),
                    figure(fmt::format("{} B", entry.static_shared_bytes)), human_age(now - entry.created_unix),
                    fmt::format("{}", entry.hits)});
  }
  return table(columns, rows, terminal_width());
}

}  // namespace

int list(const Session& session, const ListOptions& options) {
  auto store = open_store(session);
  if (!store) return report(store.error());
  std::vector<EntrySummary> entries;
  if (*store) {
    auto all = (*store)->list();
    if (!all) return report(all.error());
    entries = std::move(*all);
  }
  const auto selected = select(std::move(entries), options);
  if (!selected) return report(selected.error());
  if (session.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const EntrySummary& entry : *selected) list.push_back(summary_to_json(entry));
    print({{"database", session.file.string()}, {"entries", std::move(list)}});
  } else {
    print(to_table(*selected));
  }
  return kFine;
}

}  // namespace cudahot::tool
