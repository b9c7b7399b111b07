#include "cache/salvage.hpp"

#include <set>
#include <string_view>

#include <fmt/format.h>

#include "cache/artifact_table.hpp"
#include "cache/miss_table.hpp"
#include "cache/schema.hpp"
#include "cache/slice_table.hpp"
#include "cache/sqlite.hpp"
#include "cache/statement_cache.hpp"

namespace cudahot::cache {
namespace {

// Where one way is broken, another one leads to the rows behind the break.
constexpr std::string_view kWaysToEntries[] = {
    "SELECT id FROM artifact ORDER BY id",     "SELECT id FROM artifact ORDER BY id DESC",
    "SELECT id FROM artifact ORDER BY key",    "SELECT id FROM artifact ORDER BY key DESC",
    "SELECT id FROM artifact ORDER BY source", "SELECT id FROM artifact ORDER BY source DESC",
};
constexpr std::string_view kWaysToSlices[] = {
    "SELECT id FROM slice ORDER BY id",
    "SELECT id FROM slice ORDER BY id DESC",
    "SELECT id FROM slice ORDER BY source",
    "SELECT id FROM slice ORDER BY source DESC",
};

// A lock or a disk out of order is no damage: what cannot be read now is not given up.
bool gives_up(const Error& error) { return error.code == ErrorCode::busy || error.code == ErrorCode::environment; }

template <typename Ways>
Result<std::set<std::int64_t>> find_ids(Database& database, const Ways& ways) {
  std::set<std::int64_t> ids;
  for (const std::string_view sql : ways) {
    auto select = database.prepare(sql);
    for (bool more = select.has_value(); more;) {
      const auto row = select->step();
      if (!row && gives_up(row.error())) return fail(row.error());
      more = row && *row;
      if (more) ids.insert(select->integer(0));
    }
  }
  return ids;
}

// Opens what may be cut off or have a damaged schema. Errors: as kind_of_database.
Result<Database> open_damaged(const std::filesystem::path& file) {
  auto database = Database::open(file, Database::Access::inspect);
  if (!database) return fail(database.error());
  if (const auto done = database->tolerate_damage(); !done) return fail(done.error());
  const auto schema = check_schema(*database);
  if (!schema && schema.error().code != ErrorCode::damaged && schema.error().code != ErrorCode::internal) {
    return fail(schema.error());
  }
  const auto id = database->application_id();
  if (!id) return fail(id.error());
  if (*id != kApplicationId) {
    return fail(ErrorCode::environment, fmt::format("'{}' does not say that it is a cudahot cache or bundle: it is not "
                                                    "touched; delete it when it is one",
                                                    file.string()));
  }
  if (schema && *schema == SchemaState::older) {
    if (const auto done = present_as_current(*database); !done) return fail(done.error());
  }
  return database;
}

Status copy_entries(Database& from, StatementCache& into, Salvage& result) {
  StatementCache statements(from);
  ArtifactTable source(statements);
  ArtifactTable target(into);
  const auto ids = find_ids(from, kWaysToEntries);
  if (!ids) return fail(ids.error());
  for (const std::int64_t id : *ids) {
    const auto entry = source.entry_in_row(id);
    if (!entry && gives_up(entry.error())) return fail(entry.error());
    if (!entry) {
      result.lost.push_back({fmt::format("entry in row {}", id), entry.error().message});
      continue;
    }
    if (!*entry) continue;
    if (const auto done = target.copy(**entry); !done) return done;
    ++result.entries;
  }
  return {};
}

Status copy_slices(Database& from, StatementCache& into, Salvage& result) {
  StatementCache statements(from);
  SliceTable source(statements);
  SliceTable target(into);
  const auto ids = find_ids(from, kWaysToSlices);
  if (!ids) return fail(ids.error());
  for (const std::int64_t id : *ids) {
    const auto slice = source.slice_in_row(id);
    if (!slice && gives_up(slice.error())) return fail(slice.error());
    if (!slice) {
      result.lost.push_back({fmt::format("slice in row {}", id), slice.error().message});
      continue;
    }
    if (!*slice) continue;
    if (const auto done = target.put(**slice); !done) return done;
    ++result.slices;
  }
  return {};
}

}  // namespace

Result<DatabaseKind> kind_of_database(const std::filesystem::path& file) {
  auto database = open_damaged(file);
  if (!database) return fail(database.error());
  const auto vacuums = database->has_incremental_vacuum();
  if (!vacuums) return fail(vacuums.error());
  return *vacuums ? DatabaseKind::user_cache : DatabaseKind::bundle;
}

Result<Salvage> salvage(const std::filesystem::path& file, const std::filesystem::path& copy, DatabaseKind kind) {
  auto from = open_damaged(file);
  if (!from) return fail(from.error());
  auto into = Database::open(copy, Database::Access::create);
  if (!into) return fail(into.error());
  if (kind == DatabaseKind::user_cache) {
    if (const auto done = into->enable_incremental_vacuum(); !done) return fail(done.error());
  }
  if (const auto done = create_schema(*into); !done) return fail(done.error());
  auto transaction = Transaction::begin(*into);
  if (!transaction) return fail(transaction.error());
  Salvage result;
  {
    StatementCache statements(*into);
    if (const auto done = copy_entries(*from, statements, result); !done) return fail(done.error());
    if (const auto done = copy_slices(*from, statements, result); !done) return fail(done.error());
    // Sums are for people: where they cannot be read they begin anew.
    StatementCache old_statements(*from);
    if (const auto totals = MissTable(old_statements).totals(); totals) {
      if (const auto done = MissTable(statements).add(*totals); !done) return fail(done.error());
    }
  }
  if (const auto done = transaction->commit(); !done) return fail(done.error());
  return result;
}

Status replace_content(const std::filesystem::path& user_cache, const std::filesystem::path& copy) {
  auto from = Database::open(copy, Database::Access::immutable);
  if (!from) return fail(from.error());
  auto into = Database::open(user_cache, Database::Access::create);
  if (!into) return fail(into.error());
  if (const auto done = into->tolerate_damage(); !done) return done;
  return into->become_copy_of(*from);
}

}  // namespace cudahot::cache
