// Databases of schema 1, made by an earlier version: read as they are, migrated by the first write.
#include <gmock/gmock.h>

#include "cache/schema.hpp"
#include "cache/sqlite.hpp"
#include "tests/unit/cache/golden_content.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class MigrationTest : public CacheTest {
 protected:
  MigrationTest() {
    golden::place_cache_of_schema_1(path("cache.db"));
    original_ = base::read_file(path("cache.db")).value();
  }

  std::int64_t number(const char* sql) {
    auto database = Database::open(path("cache.db"), Database::Access::read_write).value();
    auto statement = database.prepare(sql).value();
    return statement.step().value() ? statement.integer(0) : -1;
  }

  std::string original_;
};

TEST_F(MigrationTest, OpeningReadingAndListingChangeNothing) {
  for (const auto mode : {Store::Mode::read_only, Store::Mode::read_write, Store::Mode::inspect}) {
    Store store = open("cache.db", mode);
    EXPECT_EQ(store.entry(golden::key().digest).value()->artifact, golden::artifact());
    EXPECT_THAT(store.list().value(), SizeIs(2));
    EXPECT_THAT(store.verify().value(), IsEmpty());
    EXPECT_THAT(store.misses("/src/shade.cu").value(), IsEmpty());
    EXPECT_EQ(store.totals().value().hits, 0u);
  }
  EXPECT_EQ(base::read_file(path("cache.db")).value(), original_);
  EXPECT_THAT(files(), ElementsAre("cache.db"));
}

TEST_F(MigrationTest, FirstWriteMigratesAndKeepsEveryEntry) {
  {
    Store store = open("cache.db", Store::Mode::read_write);
    ASSERT_TRUE(store.find(golden::key()).value());
    ASSERT_TRUE(store.insert(example_key(), example_artifact(), {1500, {}}));
    EXPECT_EQ(store.find(golden::key()).value(), golden::artifact());
    EXPECT_EQ(store.find(golden::library_key()).value(), golden::library());
    EXPECT_THAT(store.slices().value(), SizeIs(1));
    const auto entries = store.list().value();
    ASSERT_THAT(entries, SizeIs(3));
    EXPECT_GT(entries[0].stored_bytes, entries[0].blob_bytes);
    EXPECT_EQ(entries[0].build_us, 0);
    EXPECT_EQ(entries[2].build_us, 1500);
    EXPECT_THAT(store.verify().value(), IsEmpty());
  }
  EXPECT_EQ(number("SELECT value FROM meta WHERE name = 'schema_version'"), kSchemaVersion);
  EXPECT_EQ(number("SELECT hits FROM artifact ORDER BY id"), 2) << "hits before the migration count";
  EXPECT_THAT(log, IsEmpty());
}

// Its statements name the columns that it knows.
TEST_F(MigrationTest, ProgramOfSchema1GoesOnWritingAMigratedCache) {
  ASSERT_TRUE(open("cache.db", Store::Mode::read_write).insert(example_key(), example_artifact()));
  EXPECT_LE(number("SELECT value FROM meta WHERE name = 'lowest_compatible_version'"), 1);
  {
    auto database = Database::open(path("cache.db"), Database::Access::read_write).value();
    ASSERT_TRUE(database.execute(
        "CREATE TEMP TABLE saved AS SELECT a.*, c.* FROM artifact a JOIN artifact_content c ON c.id = a.id "
        "WHERE a.name = 'shade';"
        "DELETE FROM artifact_content WHERE id = (SELECT id FROM artifact WHERE name = 'shade');"
        "DELETE FROM artifact WHERE name = 'shade';"
        "INSERT INTO artifact (key, kind, architecture, tier, name, regions, source, toolkit_version, registers, "
        "static_shared_bytes, blob_bytes, created_unix, last_used_unix, hits) "
        "SELECT key, kind, architecture, tier, name, regions, source, toolkit_version, registers, "
        "static_shared_bytes, blob_bytes, created_unix, 0, 0 FROM saved;"
        "INSERT INTO artifact_content (id, kernels, lowered_names, preimage, seal, blob) "
        "SELECT (SELECT id FROM artifact WHERE name = 'shade'), kernels, lowered_names, preimage, seal, blob FROM "
        "saved;"));
  }
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_EQ(store.find(golden::key()).value(), golden::artifact());
  EXPECT_THAT(store.verify().value(), IsEmpty());
  EXPECT_EQ(store.list().value().back().stored_bytes, golden::artifact().blob.size());
}

TEST_F(MigrationTest, TwoStoresMigrateOnce) {
  Store first = open("cache.db", Store::Mode::read_write);
  Store second = open("cache.db", Store::Mode::read_write);
  ASSERT_TRUE(first.insert(example_key("1"), example_artifact("1")));
  ASSERT_TRUE(second.insert(example_key("2"), example_artifact("2")));
  EXPECT_EQ(first.find(example_key("2")).value()->blob, "2");
  EXPECT_THAT(first.list().value(), SizeIs(4));
}

}  // namespace
}  // namespace cudahot::cache
