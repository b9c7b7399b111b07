#include <algorithm>
#include <map>
#include <utility>

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
using ByKernel = std::map<std::string, BySource, std::less<>>;

// A hundred thousand lines are read faster without what is not shown.
cache::Store::Details details_for(const Session& session, const ListOptions& options,
                                  const std::vector<const EntryColumn*>& columns, const EntryColumn& order) {
  const bool all = session.json || options.tree || order.is_detail || !options.filter.source.empty() ||
                   !options.filter.unused.empty() ||
                   std::ranges::any_of(columns, [](const EntryColumn* column) { return column->is_detail; });
  return all ? cache::Store::Details::all : cache::Store::Details::brief;
}

void sort(Entries& entries, const EntryColumn& column, bool reverse) {
  std::ranges::stable_sort(entries, [&](const auto* a, const auto* b) { return column.before(*a, *b); });
  if (reverse) std::ranges::reverse(entries);
}

void print_table(const Entries& entries, const std::vector<const EntryColumn*>& columns, const CellStyle& style) {
  Table table = make_table(columns, entries.size());
  for (const EntrySummary* entry : entries) add_row(table, columns, *entry, style);
  LongOutput output;
  Table::Lines lines(table, terminal_width());
  while (lines.append_next(output.next())) {
  }
}

// An entry stands below each of its kernels.
ByKernel group(const Entries& entries) {
  ByKernel kernels;
  for (const EntrySummary* entry : entries) {
    const std::string name = name_of(*entry);
    for (const std::string_view kernel : kernels_of(name)) {
      auto sources = kernels.find(kernel);
      if (sources == kernels.end()) sources = kernels.try_emplace(std::string(kernel)).first;
      sources->second[entry->source].push_back(entry);
    }
  }
  return kernels;
}

void print_tree(const Entries& entries, const std::vector<const EntryColumn*>& columns, const CellStyle& style) {
  constexpr std::string_view kIndent = "    ";
  const ByKernel kernels = group(entries);
  Table table = make_table(columns, entries.size());
  for (const auto& [kernel, sources] : kernels) {
    for (const auto& [source, below] : sources) {
      for (const EntrySummary* entry : below) add_row(table, columns, *entry, style);
    }
  }
  const std::size_t width = terminal_width();
  LongOutput output;
  Table::Lines lines(table, width > kIndent.size() ? width - kIndent.size() : 0);
  lines.append_next(output.next().append(kIndent));
  for (const auto& [kernel, sources] : kernels) {
    output.next().append(printable(kernel)).append("\n");
    for (const auto& [source, below] : sources) {
      output.next().append("  ").append(source.empty() ? "-" : printable(source)).append("\n");
      for (std::size_t i = 0; i < below.size(); ++i) lines.append_next(output.next().append(kIndent));
    }
  }
}

std::string to_json_string(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// A JSON list. `line` begins the line of an element.
template <typename List, typename AppendElement>
void append_list(LongOutput& output, std::string_view line, const List& list, AppendElement&& append) {
  output.next() += '[';
  bool first = true;
  for (const auto& element : list) {
    if (!std::exchange(first, false)) output.next() += ',';
    output.next() += line;
    append(element);
  }
  if (!first) output.next() += line.substr(0, line.size() - 2);
  output.next() += ']';
}

void append_entries(LongOutput& output, std::string_view line, const Entries& entries) {
  append_list(output, line, entries, [&](const EntrySummary* entry) { append_json(output.next(), *entry); });
}

void append_tree(LongOutput& output, std::string_view line, const Entries& entries) {
  const std::string source_line = std::string(line) + "  ";
  const std::string entry_line = source_line + "  ";
  append_list(output, line, group(entries), [&](const auto& kernel) {
    output.next() += fmt::format("{{\"kernel\": {}, \"sources\": ", to_json_string(kernel.first));
    append_list(output, source_line, kernel.second, [&](const auto& source) {
      output.next() += fmt::format("{{\"source\": {}, \"entries\": ", to_json_string(source.first));
      append_entries(output, entry_line, source.second);
      output.next() += '}';
    });
    output.next() += '}';
  });
}

// As print(Json) would, but for an entry being one line.
void print_json(const std::string& database, std::size_t matching, const Entries& entries, bool tree) {
  LongOutput output;
  output.next() += fmt::format("{{\n  \"database\": {},\n  \"matching\": {},\n  \"{}\": ", to_json_string(database),
                               matching, tree ? "kernels" : "entries");
  constexpr std::string_view kLine = "\n    ";
  if (tree) append_tree(output, kLine, entries);
  else append_entries(output, kLine, entries);
  output.next() += "\n}\n";
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
  const auto entries = list_entries(session, details_for(session, options, *columns, *order->front()));
  if (!entries) return report(entries.error());
  const CellStyle style{options.bytes, base::now_unix()};
  auto chosen = choose(*entries, options.filter);
  if (!chosen) return report(chosen.error());
  const std::size_t matching = chosen->size();
  sort(*chosen, *order->front(), options.reverse);
  if (options.limit != 0 && chosen->size() > options.limit) chosen->resize(options.limit);

  if (session.json) {
    print_json(session.file.string(), matching, *chosen, options.tree);
  } else {
    if (options.tree) print_tree(*chosen, *columns, style);
    else print_table(*chosen, *columns, style);
    if (chosen->size() < matching) message(fmt::format("{} of {} entries, by --limit", chosen->size(), matching));
  }
  return kFine;
}

}  // namespace cudahot::tool
