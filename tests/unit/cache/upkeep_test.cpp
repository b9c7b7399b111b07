// What a store knows beside its artifacts: misses, totals, provenance; and what makes it smaller.
#include <gmock/gmock.h>

#include "cache/sqlite.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class Upkeep : public CacheTest {};

CacheKey key_of(std::string_view arch, std::string_view text, std::string_view option = "-G") {
  Preimage preimage;
  preimage.add("arch", arch);
  preimage.add("text", text);
  preimage.add("optn", option);
  return make_key(preimage);
}

TEST_F(Upkeep, ProvenanceComesBackAndIsSealed) {
  const Provenance provenance{
      61000, {{"shade.cu", "/src/shade.cu", "main", {1, 2}}, {"b.h", "/src/b.h", "user_header", {3, 4}}}};
  {
    Store store = open("cache.db", Store::Mode::read_write);
    ASSERT_TRUE(store.insert(example_key(), example_artifact(), provenance));
    EXPECT_EQ(store.entry(example_key().digest).value()->provenance, provenance);
    EXPECT_EQ(store.list().value()[0].build_us, 61000);
  }
  auto database = Database::open(path("cache.db"), Database::Access::read_write).value();
  ASSERT_TRUE(database.execute("UPDATE artifact_content SET files = CAST(replace(files, 'b.h', 'c.h') AS BLOB)"));
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_THAT(store.verify().value(), SizeIs(1));
  EXPECT_EQ(store.find(example_key()).value(), example_artifact()) << "the CUBIN is not touched by it";
}

TEST_F(Upkeep, MissesHaveTheReasonThatTellsMostAndAreCounted) {
  Store store = open("cache.db", Store::Mode::read_write);
  const Artifact artifact = example_artifact();
  const auto miss_and_insert = [&](const CacheKey& key) {
    EXPECT_EQ(store.find(key).value(), std::nullopt);
    EXPECT_TRUE(store.note_miss(key, artifact));
    EXPECT_TRUE(store.insert(key, artifact));
    return store.misses(artifact.source).value().front().reason;
  };
  EXPECT_EQ(miss_and_insert(key_of("sm_90", "a")), MissReason::first);
  EXPECT_EQ(miss_and_insert(key_of("sm_90", "b")), MissReason::text);
  EXPECT_EQ(miss_and_insert(key_of("sm_80", "b")), MissReason::architecture);
  EXPECT_EQ(miss_and_insert(key_of("sm_80", "b", "-lineinfo")), MissReason::options);
  EXPECT_EQ(miss_and_insert(key_of("sm_80", "c")), MissReason::text);
  EXPECT_THAT(store.totals().value().misses, ElementsAre(Pair(MissReason::first, 1), Pair(MissReason::architecture, 1),
                                                         Pair(MissReason::text, 2), Pair(MissReason::options, 1)));
  const auto misses = store.misses(artifact.source).value();
  ASSERT_THAT(misses, SizeIs(1)) << "one for each source, architecture and tier";
  EXPECT_EQ(misses[0].key, key_of("sm_80", "c"));
  EXPECT_THAT(store.misses("/another.cu").value(), IsEmpty());
}

TEST_F(Upkeep, MissesAreInTheirOrderWithinOneSecondToo) {
  Store store = open("cache.db", Store::Mode::read_write);
  Artifact artifact = example_artifact();
  for (const unsigned arch : {80u, 90u, 80u}) {
    artifact.arch = {arch};
    ASSERT_TRUE(store.note_miss(key_of("sm_" + std::to_string(arch), "a"), artifact));
  }
  const auto misses = store.misses(artifact.source).value();
  ASSERT_THAT(misses, SizeIs(2));
  EXPECT_EQ(misses[0].arch, region::SmArch{80});
  EXPECT_EQ(misses[1].arch, region::SmArch{90});
}

TEST_F(Upkeep, MissOfADamagedEntrySaysSo) {
  ASSERT_TRUE(open("cache.db", Store::Mode::read_write).insert(example_key(), example_artifact()));
  {
    auto database = Database::open(path("cache.db"), Database::Access::read_write).value();
    ASSERT_TRUE(database.execute("UPDATE artifact_content SET blob = x'00'"));
  }
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_EQ(store.find(example_key()).value(), std::nullopt);
  EXPECT_TRUE(store.was_damaged(example_key().digest));
  EXPECT_FALSE(store.was_damaged(example_key().digest));
  ASSERT_TRUE(store.note_miss(example_key(), example_artifact(), MissReason::damaged));
  EXPECT_EQ(store.misses(example_artifact().source).value()[0].reason, MissReason::damaged);
}

TEST_F(Upkeep, HitsAndTimeSavedOutliveTheirEntries) {
  {
    Store store = open("cache.db", Store::Mode::read_write);
    ASSERT_TRUE(store.insert(example_key(), example_artifact(), {2000, {}}));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(store.find(example_key()).value());
  }
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_EQ(store.remove({example_key().digest, {1, 1}}).value(), 1u);
  EXPECT_THAT(store.list().value(), IsEmpty());
  EXPECT_EQ(store.totals().value().hits, 3u);
  EXPECT_EQ(store.totals().value().saved_us, 6000u);
}

TEST_F(Upkeep, CopiedEntryIsTheSameWithItsTimeAndOneOfItsKeyStays) {
  Store from = open("from.db", Store::Mode::read_write);
  ASSERT_TRUE(from.insert(example_key(), example_artifact(), {2000, {{"a", "/a", "main", {1, 2}}}}));
  const auto entry = *from.entry(example_key().digest).value();
  Store to = open("to.db", Store::Mode::read_write);
  EXPECT_TRUE(to.copy(entry).value());
  EXPECT_FALSE(to.copy(entry).value());
  const auto copied = *to.entry(example_key().digest).value();
  EXPECT_EQ(copied.artifact, entry.artifact);
  EXPECT_EQ(copied.provenance, entry.provenance);
  EXPECT_EQ(copied.summary.created_unix, entry.summary.created_unix);
  EXPECT_EQ(to.find(example_key()).value(), example_artifact());
}

TEST_F(Upkeep, FileShrinksInStepsAfterRemoval) {
  Store store = open("cache.db", Store::Mode::read_write);
  std::vector<base::Digest> keys;
  for (int i = 0; i < 8; ++i) {
    const CacheKey key = example_key(std::to_string(i));
    keys.push_back(key.digest);
    ASSERT_TRUE(store.insert(key, example_artifact(std::string(300'000, static_cast<char>('a' + i)))));
  }
  ASSERT_TRUE(store.shrink(0));
  const auto full = store.size().value();
  EXPECT_GT(full.file_bytes, 8 * 300'000u);
  const auto kept = keys.back();
  keys.pop_back();
  ASSERT_EQ(store.remove(keys).value(), 7u);
  const auto removed = store.size().value();
  EXPECT_GT(removed.free_bytes, 7 * 290'000u);

  ASSERT_TRUE(store.shrink(1'000'000));
  const auto step = store.size().value();
  EXPECT_NEAR(static_cast<double>(removed.free_bytes - step.free_bytes), 1'000'000, 10'000);
  ASSERT_TRUE(store.shrink(100'000'000));
  EXPECT_EQ(store.size().value().free_bytes, 0u);
  EXPECT_LT(std::filesystem::file_size(path("cache.db")), 400'000u);
  EXPECT_EQ(store.list().value().front().key, kept);
  EXPECT_THAT(store.verify().value(), IsEmpty());
}

}  // namespace
}  // namespace cudahot::cache
