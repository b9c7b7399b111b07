// What a store does with files that are damaged, not ours, or not to be had.
#include <gmock/gmock.h>

#include "cache/schema.hpp"
#include "cache/sqlite.hpp"
#include "tests/support/write_protected.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using test_support::WriteProtected;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StoreFaults : public CacheTest {
 protected:
  void make_cache(const std::string& name = "cache.db") {
    ASSERT_TRUE(open(name, Store::Mode::read_write).insert(example_key(), example_artifact()));
  }

  void run_sql(const std::string& name, const char* sql, Database::Access access = Database::Access::read_write) {
    auto database = Database::open(path(name), access);
    ASSERT_TRUE(database) << database.error().message;
    const auto done = database->execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }

  Error open_error(const std::string& name, Store::Mode mode) {
    const auto store = Store::open(path(name), mode);
    return store ? Error{} : store.error();
  }
};

constexpr const char* kRowDamages[] = {
    "UPDATE artifact_content SET blob = x'7f454c46'",
    "UPDATE artifact_content SET blob = x''",
    "UPDATE artifact_content SET kernels = replace(kernels, '32', '33')",
    "UPDATE artifact_content SET lowered_names = replace(lowered_names, '5shade', '5shadf')",
    "UPDATE artifact_content SET lowered_names = 'not json'",
    "UPDATE artifact_content SET seal = zeroblob(16)",
    "UPDATE artifact_content SET preimage = x'00'",
    "UPDATE artifact_content SET preimage = x''",
    "UPDATE artifact_content SET preimage = substr(preimage, 1, length(preimage) - 1)",
    "UPDATE artifact SET architecture = 'sm_80'",
    "UPDATE artifact SET architecture = 'nonsense'",
    "UPDATE artifact SET tier = 'full'",
    "UPDATE artifact SET kind = 'other'",
    "DELETE FROM artifact_content",
};

TEST_F(StoreFaults, DamagedRowIsAMissIsDeletedAndIsMadeAnew) {
  make_cache();
  for (const char* damage : kRowDamages) {
    run_sql("cache.db", damage);
    log.clear();
    Store store = open("cache.db", Store::Mode::read_write);
    EXPECT_EQ(store.find(example_key()).value(), std::nullopt) << damage;
    EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr(base::to_hex(example_key().digest)), HasSubstr("cache.db"),
                                       HasSubstr("deleted"))))
        << damage;
    EXPECT_THAT(store.verify().value(), IsEmpty()) << damage;
    EXPECT_THAT(store.list().value(), IsEmpty()) << damage;
    ASSERT_TRUE(store.insert(example_key(), example_artifact())) << damage;
    EXPECT_EQ(store.find(example_key()).value(), example_artifact()) << damage;
  }
}

TEST_F(StoreFaults, VerifyNamesDamagedRowsAndChangesNothing) {
  make_cache();
  for (const char* damage : kRowDamages) {
    run_sql("cache.db", damage);
    {
      Store store = open("cache.db", Store::Mode::inspect);
      const auto problems = store.verify().value();
      ASSERT_THAT(problems, SizeIs(1)) << damage;
      EXPECT_EQ(problems[0].subject, base::to_hex(example_key().digest)) << damage;
      EXPECT_THAT(store.keys_with_prefix("").value(), SizeIs(1)) << damage;
      EXPECT_EQ(store.entry(example_key().digest).error().code, ErrorCode::damaged) << damage;
    }
    ASSERT_TRUE(open("cache.db", Store::Mode::read_write).insert(example_key(), example_artifact()));
  }
}

TEST_F(StoreFaults, DamagedRowOfABundleIsAMissAndStays) {
  make_bundle("app.cudahot");
  run_sql("app.cudahot", "UPDATE artifact_content SET blob = x'00'");
  Store bundle = open("app.cudahot", Store::Mode::read_only);
  EXPECT_EQ(bundle.find(example_key()).value(), std::nullopt);
  EXPECT_THAT(log, ElementsAre(HasSubstr("not used")));
  EXPECT_THAT(bundle.list().value(), SizeIs(1));
}

TEST_F(StoreFaults, DamagedSliceIsLeftOutAndNamed) {
  make_bundle("app.cudahot");
  run_sql("app.cudahot", "UPDATE slice SET nvrtc = 'another'");
  Store bundle = open("app.cudahot", Store::Mode::read_only);
  EXPECT_THAT(bundle.slices().value(), IsEmpty());
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("slice /src/a.cu"), HasSubstr("extract it again"))));
  EXPECT_THAT(bundle.verify().value(), SizeIs(1));
}

TEST_F(StoreFaults, CollisionIsAMissAndKeepsTheEntry) {
  Store store = open("cache.db", Store::Mode::read_write);
  ASSERT_TRUE(store.insert(example_key("one"), example_artifact("1")));
  const CacheKey collision{example_key("one").digest, example_key("two").preimage};
  EXPECT_EQ(store.find(collision).value(), std::nullopt);
  EXPECT_EQ(store.find(example_key("one")).value()->blob, "1");
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(StoreFaults, FileCutAnywhereNeverGivesAWrongArtifact) {
  make_bundle("whole.cudahot");
  const std::string whole = base::read_file(path("whole.cudahot")).value();
  for (std::size_t size = 0; size < whole.size(); size += 509) {
    ASSERT_TRUE(base::write_file_atomically(path("cut.cudahot"), whole.substr(0, size)));
    for (const auto mode : {Store::Mode::read_only, Store::Mode::read_write}) {
      auto store = Store::open(path("cut.cudahot"), mode);
      if (!store) continue;
      const auto found = store->find(example_key());
      if (!found || !*found) continue;
      EXPECT_EQ(**found, example_artifact()) << size;
    }
  }
}

TEST_F(StoreFaults, CutFileSaysThatItIsDamagedAndWhatToDo) {
  make_bundle("app.cudahot");
  const std::string whole = base::read_file(path("app.cudahot")).value();
  ASSERT_TRUE(base::write_file_atomically(path("app.cudahot"), whole.substr(0, whole.size() / 2)));
  const Error error = open_error("app.cudahot", Store::Mode::read_only);
  EXPECT_EQ(error.code, ErrorCode::damaged);
  EXPECT_THAT(error.message, AllOf(HasSubstr("app.cudahot"), HasSubstr("malformed"), HasSubstr("delete it")));
}

TEST_F(StoreFaults, TextFileIsRefusedAndKept) {
  const std::string text = "this is the only copy of my thesis\n";
  ASSERT_TRUE(base::write_file_atomically(path("thesis.txt"), text));
  for (const auto mode : {Store::Mode::read_only, Store::Mode::read_write, Store::Mode::inspect}) {
    const Error error = open_error("thesis.txt", mode);
    EXPECT_EQ(error.code, ErrorCode::environment);
    EXPECT_THAT(error.message, AllOf(HasSubstr("thesis.txt"), HasSubstr("not a database")));
  }
  EXPECT_EQ(base::read_file(path("thesis.txt")).value(), text);
}

TEST_F(StoreFaults, AnotherProgramsDatabaseIsRefusedAndKept) {
  run_sql("other.db", "PRAGMA application_id = 0x12345678; CREATE TABLE bookmarks (url TEXT)",
          Database::Access::create);
  run_sql("nameless.db", "CREATE TABLE bookmarks (url TEXT)", Database::Access::create);
  for (const char* name : {"other.db", "nameless.db"}) {
    const std::string before = base::read_file(path(name)).value();
    for (const auto mode : {Store::Mode::read_only, Store::Mode::read_write, Store::Mode::inspect}) {
      const Error error = open_error(name, mode);
      EXPECT_EQ(error.code, ErrorCode::environment);
      EXPECT_THAT(error.message, AllOf(HasSubstr(name), HasSubstr("another program")));
    }
    EXPECT_EQ(base::read_file(path(name)).value(), before);
  }
  EXPECT_THAT(open_error("other.db", Store::Mode::read_only).message, HasSubstr("0x12345678"));
}

TEST_F(StoreFaults, NewerSchemaIsRefusedUnlessItSaysThatWeCanReadIt) {
  make_cache();
  run_sql("cache.db", "UPDATE meta SET value = 7 WHERE name = 'schema_version'");
  EXPECT_EQ(open("cache.db", Store::Mode::read_write).find(example_key()).value(), example_artifact());
  run_sql("cache.db", "UPDATE meta SET value = 6 WHERE name = 'lowest_compatible_version'");
  const Error error = open_error("cache.db", Store::Mode::read_write);
  EXPECT_EQ(error.code, ErrorCode::environment);
  EXPECT_THAT(error.message, AllOf(HasSubstr("cache.db"), HasSubstr("newer cudahot"), HasSubstr("schema 7")));
}

TEST_F(StoreFaults, FileWithoutItsVersionIsDamaged) {
  make_cache();
  run_sql("cache.db", "DELETE FROM meta");
  EXPECT_EQ(open_error("cache.db", Store::Mode::inspect).code, ErrorCode::damaged);
}

TEST_F(StoreFaults, EmptyFileIsANewCacheButNoBundle) {
  ASSERT_TRUE(base::write_file_atomically(path("cache.db"), ""));
  EXPECT_THAT(open_error("cache.db", Store::Mode::read_only).message, HasSubstr("empty"));
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_EQ(store.find(example_key()).value(), std::nullopt);
  ASSERT_TRUE(store.insert(example_key(), example_artifact()));
  EXPECT_EQ(store.find(example_key()).value(), example_artifact());
}

TEST_F(StoreFaults, BundleCanBeReadFromAWriteProtectedFolder) {
  make_bundle("app.cudahot");
  const WriteProtected folder(path(""));
  for (const auto mode : {Store::Mode::read_only, Store::Mode::inspect}) {
    EXPECT_EQ(open("app.cudahot", mode).entry(example_key().digest).value()->artifact, example_artifact());
  }
  EXPECT_THAT(files(), ElementsAre("app.cudahot"));
}

TEST_F(StoreFaults, CacheInAWriteProtectedFolderCanBeReadAndSaysWhyItIsNotWritten) {
  make_cache();
  const WriteProtected folder(path(""));
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_EQ(store.find(example_key()).value(), example_artifact());
  const auto inserted = store.insert(example_key("new"), example_artifact());
  ASSERT_FALSE(inserted);
  EXPECT_EQ(inserted.error().code, ErrorCode::environment);
  EXPECT_THAT(inserted.error().message, AllOf(HasSubstr("cache.db"), HasSubstr("readonly"), HasSubstr("permissions")));
  EXPECT_EQ(open("cache.db", Store::Mode::inspect).list().value().size(), 1u);
}

TEST_F(StoreFaults, NewCacheInAWriteProtectedFolderSaysWhyItIsNotMade) {
  const WriteProtected folder(path(""));
  for (const char* name : {"cache.db", "sub/cache.db"}) {
    Store store = open(name, Store::Mode::read_write);
    EXPECT_EQ(store.find(example_key()).value(), std::nullopt);
    const auto inserted = store.insert(example_key(), example_artifact());
    ASSERT_FALSE(inserted);
    EXPECT_EQ(inserted.error().code, ErrorCode::environment);
    EXPECT_THAT(inserted.error().message, AllOf(HasSubstr(name), HasSubstr("CUDAHOT_CACHE")));
  }
}

TEST_F(StoreFaults, PathBelowAFileIsAMissAndAnInsertSaysWhy) {
  ASSERT_TRUE(base::write_file_atomically(path("file"), "x"));
  Store store = open("file/cache.db", Store::Mode::read_write);
  EXPECT_EQ(store.find(example_key()).value(), std::nullopt);
  const auto inserted = store.insert(example_key(), example_artifact());
  ASSERT_FALSE(inserted);
  EXPECT_EQ(inserted.error().code, ErrorCode::environment);
  EXPECT_THAT(inserted.error().message, AllOf(HasSubstr("file/cache.db"), HasSubstr("Not a directory")));
}

TEST_F(StoreFaults, FolderInPlaceOfTheFileIsNamed) {
  std::filesystem::create_directory(path("cache.db"));
  for (const auto mode : {Store::Mode::read_only, Store::Mode::read_write, Store::Mode::inspect}) {
    EXPECT_THAT(open_error("cache.db", mode).message, AllOf(HasSubstr("cache.db"), HasSubstr("it is a folder")));
  }
}

TEST_F(StoreFaults, LockedCacheCanBeReadAndInsertIsBusy) {
  make_cache();
  auto holder = Database::open(path("cache.db"), Database::Access::read_write).value();
  auto transaction = Transaction::begin(holder);
  ASSERT_TRUE(transaction);
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_EQ(store.find(example_key()).value(), example_artifact());
  EXPECT_EQ(store.insert(example_key("new"), example_artifact()).error().code, ErrorCode::busy);
}

TEST_F(StoreFaults, FailedInsertLeavesNoHalf) {
  make_cache();
  run_sql("cache.db",
          "CREATE TRIGGER refuse BEFORE INSERT ON artifact_content BEGIN SELECT RAISE(ABORT, 'no room'); END");
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_FALSE(store.insert(example_key("new"), example_artifact()));
  EXPECT_FALSE(store.insert(example_key(), example_artifact("replacement")));
  EXPECT_EQ(store.find(example_key()).value(), example_artifact());
  EXPECT_THAT(store.list().value(), SizeIs(1));
}

}  // namespace
}  // namespace cudahot::cache
