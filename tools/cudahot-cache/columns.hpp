// The columns of `ls`: their names, order and cells. Pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cache/store.hpp"
#include "tools/cudahot-cache/table.hpp"

namespace cudahot::tool {

struct CellStyle {
  bool exact = false;  // sizes in bytes
  std::int64_t now_unix = 0;
};

struct EntryColumn {
  std::string_view name;  // on the command line; in capitals its title
  bool right_aligned = false;
  bool shrinks = false;
  bool is_detail = false;  // shows what Store::Details::brief leaves out
  // Text ascending, figures with the largest and times with the latest first.
  bool (*before)(const cache::EntrySummary&, const cache::EntrySummary&) = nullptr;
  void (*write)(const cache::EntrySummary&, const CellStyle&, Table&) = nullptr;  // but for the cell's end
};

inline constexpr std::string_view kDefaultColumns = "key,name,region,arch,tier,size,regs,shared,age,hits";
inline constexpr std::string_view kTreeColumns = "key,arch,tier,size,regs,shared,age,hits";

std::vector<std::string> column_names();

// From names with ',' between them. Errors: usage, with the names that there are.
Result<std::vector<const EntryColumn*>> parse_columns(std::string_view list);

// `rows`: for how many there is to be room.
Table make_table(const std::vector<const EntryColumn*>& columns, std::size_t rows);
void add_row(Table& table, const std::vector<const EntryColumn*>& columns, const cache::EntrySummary& entry,
             const CellStyle& style);

}  // namespace cudahot::tool
