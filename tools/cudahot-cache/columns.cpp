#include "tools/cudahot-cache/columns.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "tools/cudahot-cache/describe.hpp"
#include "tools/cudahot-cache/format.hpp"

namespace cudahot::tool {
namespace {

using cache::EntrySummary;

void append_text(Table& table, std::string_view text) { table.append(text.empty() ? "-" : text); }

void append_size(std::string& out, std::uint64_t bytes, const CellStyle& style) {
  if (style.exact) append_number(out, bytes);
  else out += human_size(bytes);
}

// What says nothing of a helper library.
void append_figure(std::string& out, const EntrySummary& entry, std::uint32_t figure, std::string_view unit) {
  if (!is_kernel(entry)) {
    out += '-';
    return;
  }
  append_number(out, figure);
  out += unit;
}

constexpr bool kRight = true;
constexpr bool kLeft = false;
constexpr bool kShrinks = true;
constexpr bool kDetail = true;

const EntryColumn kColumns[] = {
    {"key", kLeft, false, false, [](const auto& a, const auto& b) { return a.key < b.key; },
     [](const auto& entry, const auto&, auto& table) { table.figure() += short_key(entry.key); }},
    {"full-key", kLeft, false, false, [](const auto& a, const auto& b) { return a.key < b.key; },
     [](const auto& entry, const auto&, auto& table) { table.figure() += base::to_hex(entry.key); }},
    {"name", kLeft, kShrinks, false, [](const auto& a, const auto& b) { return a.name < b.name; },
     [](const auto& entry, const auto&, auto& table) { table.append(name_of(entry)); }},
    {"region", kLeft, kShrinks, false, [](const auto& a, const auto& b) { return a.regions < b.regions; },
     [](const auto& entry, const auto&, auto& table) { append_text(table, entry.regions); }},
    {"source", kLeft, kShrinks, kDetail, [](const auto& a, const auto& b) { return a.source < b.source; },
     [](const auto& entry, const auto&, auto& table) { append_text(table, entry.source); }},
    {"arch", kLeft, false, false, [](const auto& a, const auto& b) { return a.arch < b.arch; },
     [](const auto& entry, const auto&, auto& table) { table.figure() += region::to_string(entry.arch); }},
    {"tier", kLeft, false, false, [](const auto& a, const auto& b) { return tier_of(a) < tier_of(b); },
     [](const auto& entry, const auto&, auto& table) { append_text(table, tier_of(entry)); }},
    {"kind", kLeft, false, false, [](const auto& a, const auto& b) { return a.kind < b.kind; },
     [](const auto& entry, const auto&, auto& table) { table.figure() += cache::to_string(entry.kind); }},
    {"size", kRight, false, false, [](const auto& a, const auto& b) { return a.blob_bytes > b.blob_bytes; },
     [](const auto& entry, const auto& style, auto& table) { append_size(table.figure(), entry.blob_bytes, style); }},
    {"stored", kRight, false, kDetail, [](const auto& a, const auto& b) { return a.stored_bytes > b.stored_bytes; },
     [](const auto& entry, const auto& style, auto& table) { append_size(table.figure(), entry.stored_bytes, style); }},
    {"regs", kRight, false, false, [](const auto& a, const auto& b) { return a.registers > b.registers; },
     [](const auto& entry, const auto&, auto& table) { append_figure(table.figure(), entry, entry.registers, ""); }},
    {"shared", kRight, false, false,
     [](const auto& a, const auto& b) { return a.static_shared_bytes > b.static_shared_bytes; },
     [](const auto& entry, const auto& style, auto& table) {
       append_figure(table.figure(), entry, entry.static_shared_bytes, style.exact ? "" : " B");
     }},
    {"build", kRight, false, kDetail, [](const auto& a, const auto& b) { return a.build_us > b.build_us; },
     [](const auto& entry, const auto&, auto& table) {
       table.figure() += entry.build_us == 0 ? std::string("-") : human_duration(entry.build_us);
     }},
    {"toolkit", kLeft, false, kDetail,
     [](const auto& a, const auto& b) { return a.toolkit_version < b.toolkit_version; },
     [](const auto& entry, const auto&, auto& table) { append_text(table, entry.toolkit_version); }},
    {"age", kRight, false, false, [](const auto& a, const auto& b) { return a.created_unix > b.created_unix; },
     [](const auto& entry, const auto& style, auto& table) {
       table.figure() += human_age(style.now_unix - entry.created_unix);
     }},
    {"used", kRight, false, kDetail, [](const auto& a, const auto& b) { return a.last_used_unix > b.last_used_unix; },
     [](const auto& entry, const auto& style, auto& table) {
       table.figure() +=
           entry.last_used_unix == 0 ? std::string("-") : human_age(style.now_unix - entry.last_used_unix);
     }},
    {"hits", kRight, false, false, [](const auto& a, const auto& b) { return a.hits > b.hits; },
     [](const auto& entry, const auto&, auto& table) { append_number(table.figure(), entry.hits); }},
};

std::string title_of(std::string_view name) {
  std::string title(name);
  for (char& c : title) {
    if (c == '-') c = ' ';
    else if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return title;
}

}  // namespace

std::vector<std::string> column_names() {
  std::vector<std::string> names;
  for (const EntryColumn& column : kColumns) names.emplace_back(column.name);
  return names;
}

Result<std::vector<const EntryColumn*>> parse_columns(std::string_view list) {
  std::vector<const EntryColumn*> columns;
  for (;;) {
    const auto end = list.find(',');
    const std::string_view name = list.substr(0, end);
    const auto* const found = std::ranges::find(kColumns, name, &EntryColumn::name);
    if (found == std::end(kColumns)) {
      return fail(ErrorCode::usage, fmt::format("no column '{}': there are {}", name, fmt::join(column_names(), ", ")));
    }
    columns.push_back(found);
    if (end == std::string_view::npos) return columns;
    list.remove_prefix(end + 1);
  }
}

Table make_table(const std::vector<const EntryColumn*>& columns, std::size_t rows) {
  std::vector<Column> heads;
  for (const EntryColumn* column : columns)
    heads.push_back({title_of(column->name), column->right_aligned, column->shrinks});
  Table table(std::move(heads));
  table.reserve(rows);
  return table;
}

void add_row(Table& table, const std::vector<const EntryColumn*>& columns, const EntrySummary& entry,
             const CellStyle& style) {
  for (const EntryColumn* column : columns) {
    column->write(entry, style, table);
    table.end_cell();
  }
}

}  // namespace cudahot::tool
