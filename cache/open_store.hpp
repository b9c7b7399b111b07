// OpenStore: an open database of our schema, and its tables. Knows no locks, files or logs.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <utility>

#include "cache/artifact_table.hpp"
#include "cache/miss_table.hpp"
#include "cache/slice_table.hpp"
#include "cache/sqlite.hpp"
#include "cache/statement_cache.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

// Not moved once made.
struct OpenStore {
  explicit OpenStore(Database opened) : database(std::move(opened)) {}
  Database database;
  StatementCache statements{database};
  ArtifactTable artifacts{statements};
  SliceTable slices{statements};
  MissTable misses{statements};
  bool older = false;  // of an older schema, presented as a current one
};

// Of a database that is open.
Result<std::unique_ptr<OpenStore>> with_schema(Database database);

// nullptr: the database is empty. Errors: those of Database::open and check_schema.
Result<std::unique_ptr<OpenStore>> open_with_schema(const std::filesystem::path& file, Database::Access access,
                                                    Database::Sharing sharing, std::chrono::milliseconds wait);

}  // namespace cudahot::cache
