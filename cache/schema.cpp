#include "cache/schema.hpp"

#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace cudahot::cache {
namespace {

// What `list` reads is apart from the large values, so that a list reads few pages and a hit
// counter rewrites a small row.
constexpr const char* kCreateTables = R"sql(
CREATE TABLE meta (
  name  TEXT NOT NULL UNIQUE,
  value INTEGER NOT NULL
) STRICT;
CREATE TABLE artifact (
  id                  INTEGER PRIMARY KEY,
  key                 BLOB NOT NULL UNIQUE CHECK (length(key) = 16),
  kind                TEXT NOT NULL,
  architecture        TEXT NOT NULL,
  tier                TEXT NOT NULL,
  name                TEXT NOT NULL,
  regions             TEXT NOT NULL,
  source              TEXT NOT NULL,
  toolkit_version     TEXT NOT NULL,
  registers           INTEGER NOT NULL,
  static_shared_bytes INTEGER NOT NULL,
  blob_bytes          INTEGER NOT NULL,
  created_unix        INTEGER NOT NULL,
  last_used_unix      INTEGER NOT NULL,
  hits                INTEGER NOT NULL,
  stored_bytes        INTEGER NOT NULL DEFAULT 0,
  build_us            INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE artifact_content (
  id            INTEGER PRIMARY KEY REFERENCES artifact (id),
  kernels       TEXT NOT NULL,
  lowered_names TEXT NOT NULL,
  preimage      BLOB NOT NULL,
  seal          BLOB NOT NULL CHECK (length(seal) = 16),
  blob          BLOB NOT NULL,
  files         BLOB NOT NULL DEFAULT x''
) STRICT;
CREATE TABLE slice (
  id              INTEGER PRIMARY KEY,
  source          TEXT NOT NULL UNIQUE,
  toolkit_version TEXT NOT NULL,
  nvrtc           TEXT NOT NULL,
  nvjitlink       TEXT NOT NULL,
  helper_library  BLOB NOT NULL CHECK (length(helper_library) = 16),
  seal            BLOB NOT NULL CHECK (length(seal) = 16),
  manifest        BLOB NOT NULL,
  files           BLOB NOT NULL DEFAULT x''
) STRICT;
)sql";

constexpr const char* kCreateTablesOfVersion2 = R"sql(
CREATE TABLE miss (
  id           INTEGER PRIMARY KEY,
  source       TEXT NOT NULL,
  architecture TEXT NOT NULL,
  tier         TEXT NOT NULL,
  missed_unix  INTEGER NOT NULL,
  reason       TEXT NOT NULL,
  key          BLOB NOT NULL CHECK (length(key) = 16),
  preimage     BLOB NOT NULL,
  UNIQUE (source, architecture, tier)
) STRICT;
CREATE TABLE total (
  name  TEXT NOT NULL UNIQUE,
  value INTEGER NOT NULL
) STRICT;
CREATE INDEX artifact_source ON artifact (source);
)sql";

constexpr const char* kMigrateFrom1 = R"sql(
ALTER TABLE artifact ADD COLUMN stored_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE artifact ADD COLUMN build_us INTEGER NOT NULL DEFAULT 0;
ALTER TABLE artifact_content ADD COLUMN files BLOB NOT NULL DEFAULT x'';
ALTER TABLE slice ADD COLUMN files BLOB NOT NULL DEFAULT x'';
UPDATE artifact SET stored_bytes = ifnull((
  SELECT length(c.kernels) + length(c.lowered_names) + length(c.preimage) + length(c.blob)
  FROM artifact_content AS c WHERE c.id = artifact.id), blob_bytes);
UPDATE meta SET value = 2 WHERE name = 'schema_version';
)sql";

// A name of the temporary schema is found before that of the file.
constexpr const char* kPresentVersion1 = R"sql(
CREATE TEMP VIEW artifact AS SELECT *, blob_bytes AS stored_bytes, 0 AS build_us FROM main.artifact;
CREATE TEMP VIEW artifact_content AS SELECT *, x'' AS files FROM main.artifact_content;
CREATE TEMP VIEW slice AS SELECT *, x'' AS files FROM main.slice;
CREATE TEMP TABLE miss (
  id INTEGER PRIMARY KEY, source TEXT, architecture TEXT, tier TEXT, missed_unix INTEGER, reason TEXT, key BLOB, preimage BLOB
);
CREATE TEMP TABLE total (name TEXT, value INTEGER);
)sql";

constexpr std::string_view kCountTables = "SELECT count(*) FROM sqlite_schema";
constexpr std::string_view kReadMeta = "SELECT name, value FROM meta";
constexpr std::string_view kWriteMeta = "INSERT INTO meta (name, value) VALUES (?, ?)";
constexpr std::string_view kVersionName = "schema_version";
constexpr std::string_view kLowestName = "lowest_compatible_version";

struct Versions {
  std::optional<std::int64_t> schema;
  std::optional<std::int64_t> lowest;
};

Result<Versions> read_versions(Database& database) {
  auto statement = database.prepare(kReadMeta);
  if (!statement) return fail(statement.error());
  Versions versions;
  for (;;) {
    const auto row = statement->step();
    if (!row) return fail(row.error());
    if (!*row) break;
    if (statement->text(0) == kVersionName) versions.schema = statement->integer(1);
    if (statement->text(0) == kLowestName) versions.lowest = statement->integer(1);
  }
  if (versions.schema && versions.lowest) return versions;
  return fail(ErrorCode::damaged, fmt::format("'{}' is damaged: it does not say its {}; delete it",
                                              database.file().string(), versions.schema ? kLowestName : kVersionName));
}

Status write_meta(Database& database, std::string_view name, std::int64_t value) {
  auto statement = database.prepare(kWriteMeta);
  if (!statement) return fail(statement.error());
  return statement->bind_text(1, name).bind(2, value).run();
}

Result<std::int64_t> count_tables(Database& database) {
  auto statement = database.prepare(kCountTables);
  if (!statement) return fail(statement.error());
  const auto row = statement->step();
  if (!row) return fail(row.error());
  return *row ? statement->integer(0) : 0;
}

}  // namespace

Result<SchemaState> check_schema(Database& database) {
  const std::string file = database.file().string();
  auto id = database.application_id();
  if (id && *id != kApplicationId) {
    const auto tables = count_tables(database);
    if (!tables) return fail(tables.error());
    if (*tables == 0 && *id == 0) return SchemaState::empty;
    id = database.application_id();  // another process may have made it and the tables meanwhile, in one commit
    if (id && *id != kApplicationId) {
      return fail(ErrorCode::environment,
                  fmt::format("'{}' is another program's SQLite database (application id 0x{:08x}); name another file",
                              file, *id));
    }
  }
  if (!id) return fail(id.error());
  auto versions = read_versions(database);
  if (!versions && versions.error().code == ErrorCode::damaged) {  // or there is no table yet
    const auto tables = count_tables(database);
    if (!tables) return fail(tables.error());
    if (*tables == 0) return SchemaState::empty;
    versions = read_versions(database);  // made meanwhile
  }
  if (!versions) return fail(versions.error());
  if (*versions->lowest > kSchemaVersion) {
    return fail(ErrorCode::environment,
                fmt::format("'{}' was written by a newer cudahot (schema {}, readable from {} on; this one knows {}): "
                            "update cudahot, or name another file with CUDAHOT_CACHE",
                            file, *versions->schema, *versions->lowest, kSchemaVersion));
  }
  return *versions->schema < kSchemaVersion ? SchemaState::older : SchemaState::current;
}

Status present_as_current(Database& database) { return database.execute_temporary(kPresentVersion1); }

Status migrate_schema(Database& database) {
  auto transaction = Transaction::begin(database);
  if (!transaction) return fail(transaction.error());
  const auto state = check_schema(database);
  if (!state) return fail(state.error());
  if (*state != SchemaState::older) return {};
  for (const char* sql : {kMigrateFrom1, kCreateTablesOfVersion2}) {
    if (const auto done = database.execute(sql); !done) return done;
  }
  return transaction->commit();
}

Status create_schema(Database& database, std::uint32_t identity) {
  auto transaction = Transaction::begin(database);
  if (!transaction) return fail(transaction.error());
  const auto state = check_schema(database);
  if (!state) return fail(state.error());
  if (*state != SchemaState::empty) return {};
  if (const auto done = database.forget_earlier_log(); !done) return done;
  if (const auto done = database.set_application_id(kApplicationId); !done) return done;
  if (const auto done = database.set_identity(identity); !done) return done;
  for (const char* sql : {kCreateTables, kCreateTablesOfVersion2}) {
    if (const auto done = database.execute(sql); !done) return done;
  }
  if (const auto done = write_meta(database, kVersionName, kSchemaVersion); !done) return done;
  if (const auto done = write_meta(database, kLowestName, kLowestCompatibleVersion); !done) return done;
  return transaction->commit();
}

Error is_a_bundle(const std::filesystem::path& file) {
  return {ErrorCode::usage,
          fmt::format("'{}' is a bundle, which is not changed; name another file with CUDAHOT_CACHE, and bundles with "
                      "CUDAHOT_BUNDLE",
                      file.string()),
          {},
          {}};
}

}  // namespace cudahot::cache
