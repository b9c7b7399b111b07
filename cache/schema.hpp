// Schema: the tables of a cache or bundle, and who may open them. docs/cache-format.md describes
// them; change both and kSchemaVersion together, and add a golden database of the new version.
#pragma once

#include <cstdint>
#include <filesystem>

#include "cache/sqlite.hpp"
#include "cudahot/result.hpp"

namespace cudahot::cache {

inline constexpr std::int64_t kSchemaVersion = 2;
// The oldest program (by its kSchemaVersion) that can still read what this one writes.
inline constexpr std::int64_t kLowestCompatibleVersion = 1;
inline constexpr std::uint32_t kApplicationId = 0x43556874;  // "CUht"

enum class SchemaState {
  empty,   // a new database without tables
  older,   // can be read after present_as_current(), and written after migrate_schema()
  current  // can be read and written
};

// Errors: environment (not a database, another program's, of a newer cudahot: named, with what to
// do), damaged, busy.
Result<SchemaState> check_schema(Database& database);

// Lets this connection read an older database with the statements for the current one: temporary views give what is
// missing. The file is not changed. Errors: busy, environment.
Status present_as_current(Database& database);

// Makes an older database a current one in one transaction; does nothing when another process has done it meanwhile.
// Not on a connection that was given to present_as_current(). Programs that know only the older version go on reading
// and writing it. Errors: busy, environment, damaged.
Status migrate_schema(Database& database);

// Makes the tables of an empty database in one transaction; does nothing when another process has
// made them meanwhile. `identity`: of FileHeader. Errors: busy, environment.
Status create_schema(Database& database, std::uint32_t identity = 0);

// The error where a user cache was expected and a bundle is there.
Error is_a_bundle(const std::filesystem::path& file);

}  // namespace cudahot::cache
