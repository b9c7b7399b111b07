#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "lib/base/unix_time.hpp"
#include "tools/cudahot-cache/columns.hpp"
#include "tools/cudahot-cache/commands.hpp"
#include "tools/cudahot-cache/describe.hpp"
#include "tools/cudahot-cache/format.hpp"
#include "tools/cudahot-cache/session.hpp"

namespace cudahot::tool {
namespace {

using cache::EntrySummary;
using Entries = std::vector<const EntrySummary*>;
using BySource = std::map<std::string_view, Entries>;
using ByKernel = std::map<std::string, BySource>;

void sort(Entries& entries, const EntryColumn& column, bool reverse) {
  std::ranges::stable_sort(entries, [&](const auto* a, const auto* b) { return column.before(*a, *b); });
  if (reverse) std::ranges::reverse(entries);
}

std::string to_table(const Entries& entries, const std::vector<const EntryColumn*>& columns, const CellStyle& style) {
  Table table = make_table(columns);
  for (const EntrySummary* entry : entries) add_row(table, columns, *entry, style);
  return table.to_text(terminal_width());
}

// An entry stands below each of its kernels.
ByKernel group(const Entries& entries) {
  ByKernel kernels;
  for (const EntrySummary* entry : entries) {
    const std::string name = name_of(*entry);
    for (const std::string_view kernel : kernels_of(name)) kernels[std::string(kernel)][entry->source].push_back(entry);
  }
  return kernels;
}

std::string to_tree(const Entries& entries, const std::vector<const EntryColumn*>& columns, const CellStyle& style) {
  constexpr std::string_view kIndent = "    ";
  const ByKernel kernels = group(entries);
  Table table = make_table(columns);
  for (const auto& [kernel, sources] : kernels) {
    for (const auto& [source, below] : sources) {
      for (const EntrySummary* entry : below) add_row(table, columns, *entry, style);
    }
  }
  const std::size_t width = terminal_width();
  const auto lines = table.to_lines(width > kIndent.size() ? width - kIndent.size() : 0);
  auto line = lines.begin();
  std::string text = fmt::format("{}{}", kIndent, *line++);
  for (const auto& [kernel, sources] : kernels) {
    text += printable(kernel) + '\n';
    for (const auto& [source, below] : sources) {
      text += fmt::format("  {}\n", source.empty() ? "-" : printable(source));
      for (std::size_t i = 0; i < below.size(); ++i) text.append(kIndent).append(*line++);
    }
  }
  return text;
}

std::string list_to_json(const std::filesystem::path& file, std::size_t matching, const Entries& entries) {
  std::string text = fmt::format("{{\n  \"database\": {},\n  \"matching\": {},\n  \"entries\": [",
                                 Json(file.string()).dump(-1, ' ', false, Json::error_handler_t::replace), matching);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    text += i == 0 ? "\n    " : ",\n    ";
    append_json(text, *entries[i]);
  }
  return text + (entries.empty() ? "]\n}\n" : "\n  ]\n}\n");
}

Json tree_to_json(const Entries& entries) {
  Json list = Json::array();
  for (const auto& [kernel, sources] : group(entries)) {
    Json files = Json::array();
    for (const auto& [source, below] : sources) {
      files.push_back({{"source", source}, {"entries", summaries_to_json(below)}});
    }
    list.push_back({{"kernel", kernel}, {"sources", std::move(files)}});
  }
  return list;
}

}  // namespace

int list(const Session& session, const ListOptions& options) {
  const auto columns = parse_columns(!options.columns.empty() ? std::string_view(options.columns)
                                     : options.tree           ? kTreeColumns
                                                              : kDefaultColumns);
  if (!columns) return report(columns.error());
  const auto order = parse_columns(options.sort);
  if (!order) return report(order.error());
  if (order->size() != 1) return report({ErrorCode::usage, "--sort takes one column", {}, {}});
  const auto entries = list_entries(session);
  if (!entries) return report(entries.error());
  const CellStyle style{options.bytes, base::now_unix()};
  auto chosen = choose(*entries, options.filter);
  if (!chosen) return report(chosen.error());
  const std::size_t matching = chosen->size();
  sort(*chosen, *order->front(), options.reverse);
  if (options.limit != 0 && chosen->size() > options.limit) chosen->resize(options.limit);

  if (session.json) {
    if (options.tree) {
      print({{"database", session.file.string()}, {"matching", matching}, {"kernels", tree_to_json(*chosen)}});
    } else {
      print(list_to_json(session.file, matching, *chosen));
    }
  } else {
    print(options.tree ? to_tree(*chosen, *columns, style) : to_table(*chosen, *columns, style));
    if (chosen->size() < matching) message(fmt::format("{} of {} entries, by --limit", chosen->size(), matching));
  }
  return kFine;
}

}  // namespace cudahot::tool
