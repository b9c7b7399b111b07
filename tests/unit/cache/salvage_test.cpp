// What is saved of damaged databases, and what is removed from them.
#include "cache/salvage.hpp"

#include <gmock/gmock.h>

#include "cache/sqlite.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class SalvageTest : public CacheTest {
 protected:
  void change(const std::string& file, const char* sql) {
    auto database = Database::open(path(file), Database::Access::read_write).value();
    ASSERT_TRUE(database.execute(sql));
  }
};

TEST_F(SalvageTest, TellsBundlesFromUserCaches) {
  make_bundle("app.cudahot");
  ASSERT_TRUE(open("cache.db", Store::Mode::read_write).insert(example_key(), example_artifact()));
  EXPECT_EQ(kind_of_database(path("app.cudahot")).value(), DatabaseKind::bundle);
  EXPECT_EQ(kind_of_database(path("cache.db")).value(), DatabaseKind::user_cache);
  EXPECT_TRUE(open("app.cudahot", Store::Mode::read_only).is_bundle().value());
  EXPECT_FALSE(open("cache.db", Store::Mode::inspect).is_bundle().value());
}

TEST_F(SalvageTest, RefusesWhatIsNotOurs) {
  ASSERT_TRUE(Database::open(path("other.db"), Database::Access::create).value().execute("CREATE TABLE t (a)"));
  EXPECT_EQ(kind_of_database(path("other.db")).error().code, ErrorCode::environment);
  EXPECT_EQ(kind_of_database(path("none.db")).error().code, ErrorCode::not_found);
}

TEST_F(SalvageTest, KeepsEntriesSlicesUseAndTotals) {
  {
    Store store = open("cache.db", Store::Mode::read_write);
    const Provenance provenance{61000, {{"shade.cu", "/src/shade.cu", "main", {1, 2}}}};
    ASSERT_TRUE(store.insert_missed(example_key(), example_artifact(), provenance));
    ASSERT_TRUE(store.find(example_key()).value());
    ASSERT_TRUE(store.put_slice({region::example_slice(), example_toolkit(), example_helper_library()}));
  }
  const auto saved = salvage(path("cache.db"), path("copy.db"), DatabaseKind::user_cache).value();
  EXPECT_EQ(saved.entries, 1u);
  EXPECT_EQ(saved.slices, 1u);
  EXPECT_THAT(saved.lost, IsEmpty());
  Store original = open("cache.db", Store::Mode::inspect);
  Store copy = open("copy.db", Store::Mode::inspect);
  const auto entry = *copy.entry(example_key().digest).value();
  EXPECT_EQ(entry.artifact, example_artifact());
  EXPECT_EQ(entry.provenance.build_us, 61000);
  EXPECT_THAT(entry.provenance.files, SizeIs(1));
  EXPECT_EQ(entry.summary.hits, 1u);
  EXPECT_EQ(entry.summary.last_used_unix, original.list().value()[0].last_used_unix);
  EXPECT_EQ(copy.slices().value()[0].slice, region::example_slice());
  EXPECT_EQ(copy.totals().value().hits, 1u);
  EXPECT_EQ(copy.totals().value().misses, original.totals().value().misses);
  ASSERT_THAT(copy.misses(example_artifact().source).value(), SizeIs(1));
  EXPECT_EQ(copy.misses(example_artifact().source).value()[0].key, example_key());
}

TEST_F(SalvageTest, NamesWhatIsLost) {
  {
    Store store = open("cache.db", Store::Mode::read_write);
    ASSERT_TRUE(store.insert(example_key("a"), example_artifact()));
    ASSERT_TRUE(store.insert(example_key("b"), example_artifact()));
  }
  change("cache.db", "UPDATE artifact_content SET blob = x'00' WHERE id = 1");
  const auto saved = salvage(path("cache.db"), path("copy.db"), DatabaseKind::user_cache).value();
  EXPECT_EQ(saved.entries, 1u);
  ASSERT_THAT(saved.lost, SizeIs(1));
  EXPECT_EQ(saved.lost[0].subject, "entry in row 1");
}

TEST_F(SalvageTest, RowsThatAreLostTogetherAreNamedOnce) {
  {
    Store store = open("cache.db", Store::Mode::read_write);
    for (const char* text : {"a", "b", "c", "d", "e", "f"})
      ASSERT_TRUE(store.insert(example_key(text), example_artifact()));
  }
  change("cache.db", "UPDATE artifact_content SET blob = x'00' WHERE id IN (1, 2, 3, 6)");
  const auto saved = salvage(path("cache.db"), path("copy.db"), DatabaseKind::user_cache).value();
  EXPECT_EQ(saved.entries, 2u);
  ASSERT_THAT(saved.lost, SizeIs(2));
  EXPECT_EQ(saved.lost[0].subject, "entries in rows 1 to 3");
  EXPECT_EQ(saved.lost[1].subject, "entry in row 6");
}

TEST_F(SalvageTest, ReadsADatabaseThatDoesNotSayItsVersion) {
  make_bundle("app.cudahot");
  change("app.cudahot", "DROP TABLE meta");
  EXPECT_EQ(salvage(path("app.cudahot"), path("copy.cudahot"), DatabaseKind::bundle).value().entries, 1u);
  EXPECT_EQ(open("copy.cudahot", Store::Mode::read_only).find(example_key()).value(), example_artifact());
}

TEST_F(SalvageTest, RemoveDamagedRemovesThatAlone) {
  Store store = open("cache.db", Store::Mode::read_write);
  for (const char* text : {"a", "b", "c"}) ASSERT_TRUE(store.insert(example_key(text), example_artifact()));
  ASSERT_TRUE(store.put_slice({region::example_slice(), example_toolkit(), example_helper_library()}));
  EXPECT_THAT(store.remove_damaged().value(), IsEmpty());
  change("cache.db",
         "UPDATE artifact SET regions = 'x' WHERE id = 1; DELETE FROM artifact_content WHERE id = 2;"
         "UPDATE slice SET toolkit_version = 'x'");
  EXPECT_THAT(store.remove_damaged().value(), SizeIs(3));
  EXPECT_EQ(store.keys_with_prefix("").value(), std::vector{example_key("c").digest});
  EXPECT_THAT(store.slices().value(), IsEmpty());
  EXPECT_THAT(store.verify().value(), IsEmpty());
}

TEST_F(SalvageTest, MissedSourcesAreNamedOnce) {
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_THAT(store.missed_sources().value(), IsEmpty());
  for (const char* source : {"/b.cu", "/a.cu", "/b.cu"}) {
    Artifact missed = example_artifact();
    missed.source = source;
    ASSERT_TRUE(store.note_miss(example_key(source), missed));
  }
  EXPECT_THAT(store.missed_sources().value(), ElementsAre("/a.cu", "/b.cu"));
}

}  // namespace
}  // namespace cudahot::cache
