#include "cache/salvage.hpp"

#include <set>
#include <string_view>

#include <fmt/format.h>

#include "cache/artifact_table.hpp"
#include "cache/miss_table.hpp"
#include "cache/schema.hpp"
#include "cache/slice_table.hpp"
#include "cache/sqlite.hpp"
#include "cache/start_section.hpp"
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

// `read` gives the row of an id, `write` puts it into the copy. Rows that are lost one after another for the same
// reason are one problem. Gives how many were copied.
template <typename Read, typename Write>
Result<std::size_t> copy_rows(const std::set<std::int64_t>& ids, std::string_view one, std::string_view many,
                              Read&& read, Write&& write, std::vector<Store::Problem>& lost) {
  std::size_t copied = 0;
  std::int64_t first_lost = 0;
  std::string reason;  // why the row before was lost
  for (const std::int64_t id : ids) {
    const auto row = read(id);
    if (!row && gives_up(row.error())) return fail(row.error());
    if (!row && row.error().message == reason) {
      lost.back().subject = fmt::format("{} in rows {} to {}", many, first_lost, id);
    } else if (!row) {
      reason = row.error().message;
      first_lost = id;
      lost.push_back({fmt::format("{} in row {}", one, id), reason});
    } else {
      reason.clear();
      if (!*row) continue;
      if (const auto done = write(**row); !done) return fail(done.error());
      ++copied;
    }
  }
  return copied;
}

Status copy_entries(Database& from, StatementCache& into, Salvage& result) {
  StatementCache statements(from);
  ArtifactTable source(statements);
  ArtifactTable target(into);
  const auto ids = find_ids(from, kWaysToEntries);
  if (!ids) return fail(ids.error());
  const auto copied = copy_rows(
      *ids, "entry", "entries", [&](std::int64_t id) { return source.entry_in_row(id); },
      [&](const Store::Entry& entry) { return target.copy(entry); }, result.lost);
  if (!copied) return fail(copied.error());
  result.entries = *copied;
  return {};
}

Status copy_slices(Database& from, StatementCache& into, Salvage& result) {
  StatementCache statements(from);
  SliceTable source(statements);
  SliceTable target(into);
  const auto ids = find_ids(from, kWaysToSlices);
  if (!ids) return fail(ids.error());
  const auto copied = copy_rows(
      *ids, "slice", "slices", [&](std::int64_t id) { return source.slice_in_row(id); },
      [&](const Store::StoredSlice& slice) { return target.put(slice); }, result.lost);
  if (!copied) return fail(copied.error());
  result.slices = *copied;
  return {};
}

// Sums and misses are for people: where they cannot be read they begin anew.
Status copy_history(Database& from, StatementCache& into) {
  StatementCache statements(from);
  MissTable source(statements);
  MissTable target(into);
  if (const auto totals = source.totals(); totals) {
    if (const auto done = target.add(*totals); !done) return done;
  }
  const auto misses = source.all();
  if (!misses) return {};
  for (const Miss& miss : *misses) {
    if (const auto done = target.copy(miss); !done) return done;
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
  Salvage result;
  std::optional<StartSectionWriter> start;
  {
    auto into = Database::open(copy, Database::Access::create);
    if (!into) return fail(into.error());
    if (kind == DatabaseKind::user_cache) {
      if (const auto done = into->enable_incremental_vacuum(); !done) return fail(done.error());
    }
    if (const auto done = create_schema(*into); !done) return fail(done.error());
    auto transaction = Transaction::begin(*into);
    if (!transaction) return fail(transaction.error());
    {
      StatementCache statements(*into);
      if (const auto done = copy_entries(*from, statements, result); !done) return fail(done.error());
      if (const auto done = copy_slices(*from, statements, result); !done) return fail(done.error());
      if (const auto done = copy_history(*from, statements); !done) return fail(done.error());
      if (kind == DatabaseKind::bundle) {
        SliceTable slices(statements);
        ArtifactTable artifacts(statements);
        auto section = StartSectionWriter::of(slices, artifacts);
        if (!section) return fail(section.error());
        start = std::move(*section);
      }
    }
    if (start) {
      if (const auto done = into->set_identity(start->identity()); !done) return fail(done.error());
    }
    if (const auto done = transaction->commit(); !done) return fail(done.error());
  }
  if (start) {
    if (const auto done = start->append_to(copy); !done) return fail(done.error());
  }
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
