#include "cache/store.hpp"

#include <atomic>
#include <barrier>
#include <thread>

#include <gmock/gmock.h>

#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using StoreTest = CacheTest;

TEST_F(StoreTest, FindsWhatWasInserted) {
  Store store = open("cache.db", Store::Mode::read_write);
  ASSERT_TRUE(store.insert(example_key(), example_artifact()));
  const auto found = store.find(example_key());
  ASSERT_TRUE(found) << found.error().message;
  ASSERT_TRUE(found->has_value());
  EXPECT_EQ(**found, example_artifact());
}

TEST_F(StoreTest, FindsInAnotherProcessLifetime) {
  ASSERT_TRUE(open("cache.db", Store::Mode::read_write).insert(example_key(), example_artifact()));
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_EQ(store.find(example_key()).value(), example_artifact());
  EXPECT_EQ(store.find(example_key("other text")).value(), std::nullopt);
}

TEST_F(StoreTest, KeepsEmptyValues) {
  Store store = open("cache.db", Store::Mode::read_write);
  Artifact empty;
  empty.arch = {75, region::SmArch::Suffix::none};
  ASSERT_TRUE(store.insert(example_key(), empty));
  EXPECT_EQ(store.find(example_key()).value(), empty);
}

TEST_F(StoreTest, InsertReplacesTheEntryOfTheSameKey) {
  Store store = open("cache.db", Store::Mode::read_write);
  ASSERT_TRUE(store.insert(example_key(), example_artifact("old")));
  ASSERT_TRUE(store.insert(example_key(), example_artifact("new")));
  EXPECT_EQ(store.find(example_key()).value()->blob, "new");
  EXPECT_THAT(store.list().value(), SizeIs(1));
  EXPECT_THAT(store.verify().value(), IsEmpty());
}

TEST_F(StoreTest, WritesNothingUntilTheFirstInsert) {
  Store store = open("deep/folder/cache.db", Store::Mode::read_write);
  EXPECT_EQ(store.find(example_key()).value(), std::nullopt);
  EXPECT_THAT(store.list().value(), IsEmpty());
  EXPECT_THAT(files(), IsEmpty());
  ASSERT_TRUE(store.insert(example_key(), example_artifact()));
  EXPECT_TRUE(std::filesystem::exists(path("deep/folder/cache.db")));
}

TEST_F(StoreTest, ListShowsTheLargestFiguresOfTheKernels) {
  Store store = open("cache.db", Store::Mode::read_write);
  ASSERT_TRUE(store.insert(example_key(), example_artifact()));
  const auto entries = store.list().value();
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].key, example_key().digest);
  EXPECT_EQ(entries[0].registers, 40u);
  EXPECT_EQ(entries[0].static_shared_bytes, 1024u);
  EXPECT_EQ(entries[0].blob_bytes, example_artifact().blob.size());
  EXPECT_EQ(entries[0].name, "UpdateSurface, scene::shade");
  EXPECT_EQ(region::to_string(entries[0].arch), "sm_90a");
  EXPECT_EQ(entries[0].tier, region::Tier::quick);
  EXPECT_GT(entries[0].created_unix, 0);
  EXPECT_EQ(entries[0].last_used_unix, 0);
  EXPECT_EQ(entries[0].hits, 0u);
}

TEST_F(StoreTest, HitsAreWrittenWhenTheStoreGoes) {
  {
    Store store = open("cache.db", Store::Mode::read_write);
    ASSERT_TRUE(store.insert(example_key(), example_artifact()));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(store.find(example_key()).value());
    EXPECT_EQ(store.list().value()[0].hits, 0u);
  }
  const auto entries = open("cache.db", Store::Mode::read_write).list().value();
  EXPECT_EQ(entries[0].hits, 3u);
  EXPECT_GT(entries[0].last_used_unix, 0);
}

TEST_F(StoreTest, ManyHitsAreWrittenBesideAnInsert) {
  Store store = open("cache.db", Store::Mode::read_write);
  ASSERT_TRUE(store.insert(example_key(), example_artifact()));
  for (int i = 0; i < 256; ++i) ASSERT_TRUE(store.find(example_key()).value());
  ASSERT_TRUE(store.insert(example_key("second"), example_artifact()));
  EXPECT_EQ(store.list().value()[0].hits, 256u);
}

TEST_F(StoreTest, TwoStoresOnOneFileSeeEachOthersEntries) {
  Store first = open("cache.db", Store::Mode::read_write);
  Store second = open("cache.db", Store::Mode::read_write);
  ASSERT_TRUE(first.insert(example_key("first"), example_artifact("1")));
  ASSERT_TRUE(second.insert(example_key("second"), example_artifact("2")));
  EXPECT_EQ(second.find(example_key("first")).value()->blob, "1");
  EXPECT_EQ(first.find(example_key("second")).value()->blob, "2");
}

TEST_F(StoreTest, ThreadsAndStoresShareOneFile) {
  constexpr int kThreads = 4;
  constexpr int kEntries = 25;
  Store shared = open("cache.db", Store::Mode::read_write);
  Store other = open("cache.db", Store::Mode::read_write);
  ASSERT_TRUE(shared.insert(example_key("first"), example_artifact())) << "from here on nobody waits to read";
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      Store& store = t % 2 == 0 ? shared : other;
      for (int i = 0; i < kEntries; ++i) {
        const std::string text = std::to_string(t) + "/" + std::to_string(i);
        if (!store.insert(example_key(text), example_artifact(text))) ++wrong;
        const auto found = store.find(example_key(text));
        if (!found || !*found || (*found)->blob != text) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(shared.list().value(), SizeIs(1 + kThreads * kEntries));
  EXPECT_THAT(shared.verify().value(), IsEmpty());
}

TEST_F(StoreTest, StoresThatMakeTheCacheAtOnceAllSucceed) {
  constexpr int kRounds = 5;
  constexpr int kStores = 4;
  for (int round = 0; round < kRounds; ++round) {
    const std::string name = "folder" + std::to_string(round) + "/cache.db";
    std::barrier start(kStores);
    std::vector<std::string> errors(kStores);
    std::vector<std::thread> threads;
    for (int t = 0; t < kStores; ++t) {
      threads.emplace_back([&, t] {
        const auto index = static_cast<std::size_t>(t);
        auto store = Store::open(path(name), Store::Mode::read_write);
        start.arrive_and_wait();
        const auto done = store->insert(example_key(std::to_string(t)), example_artifact());
        if (!done) errors[index] = done.error().message;
      });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_THAT(errors, Each("")) << round;
    EXPECT_THAT(open(name, Store::Mode::read_write).list().value(), SizeIs(kStores));
  }
}

TEST_F(StoreTest, KeepsSlicesByMainFile) {
  Store store = open("cache.db", Store::Mode::read_write);
  Store::StoredSlice first{region::example_slice(), example_toolkit(), example_helper_library()};
  Store::StoredSlice second = first;
  second.slice.files[0].path += ".other";
  ASSERT_TRUE(store.put_slice(first));
  ASSERT_TRUE(store.put_slice(second));
  first.toolkit.nvrtc = "nvrtc-build-2";
  ASSERT_TRUE(store.put_slice(first));
  const auto slices = store.slices().value();
  ASSERT_THAT(slices, SizeIs(2));
  EXPECT_EQ(slices[0].slice, first.slice);
  EXPECT_EQ(slices[0].toolkit, first.toolkit);
  EXPECT_EQ(slices[0].helper_library, example_helper_library());
  EXPECT_EQ(slices[1].slice, second.slice);
}

TEST_F(StoreTest, RefusesASliceWithoutAMainFile) {
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_EQ(store.put_slice({}).error().code, ErrorCode::usage);
}

TEST_F(StoreTest, BundleIsOneFileAndReadsLeaveNothingBesideIt) {
  make_bundle("app.cudahot");
  EXPECT_THAT(files(), ElementsAre("app.cudahot"));
  Store bundle = open("app.cudahot", Store::Mode::read_only);
  EXPECT_EQ(bundle.find(example_key()).value(), example_artifact());
  EXPECT_THAT(bundle.slices().value(), SizeIs(1));
  EXPECT_THAT(files(), ElementsAre("app.cudahot"));
  EXPECT_EQ(bundle.insert(example_key("x"), example_artifact()).error().code, ErrorCode::usage);
}

TEST_F(StoreTest, HitsInABundleWriteNothing) {
  make_bundle("app.cudahot");
  const auto before = base::read_file(path("app.cudahot")).value();
  {
    ASSERT_TRUE(open("app.cudahot", Store::Mode::read_only).find(example_key()).value());
  }
  EXPECT_EQ(base::read_file(path("app.cudahot")).value(), before);
}

TEST_F(StoreTest, UnfinishedBundleIsRemoved) {
  {
    ASSERT_TRUE(open("app.cudahot", Store::Mode::create_bundle).insert(example_key(), example_artifact()));
  }
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(StoreTest, BundleDoesNotReplaceAFile) {
  ASSERT_TRUE(base::write_file_atomically(path("app.cudahot"), "mine"));
  const auto bundle = Store::open(path("app.cudahot"), Store::Mode::create_bundle);
  ASSERT_FALSE(bundle);
  EXPECT_EQ(bundle.error().code, ErrorCode::usage);
  EXPECT_EQ(base::read_file(path("app.cudahot")).value(), "mine");
}

TEST_F(StoreTest, FinishedBundleCannotBeUsedFurther) {
  Store bundle = open("app.cudahot", Store::Mode::create_bundle);
  ASSERT_TRUE(bundle.insert(example_key(), example_artifact()));
  EXPECT_EQ(bundle.find(example_key()).value(), example_artifact());
  ASSERT_TRUE(bundle.finish());
  EXPECT_EQ(bundle.finish().error().code, ErrorCode::usage);
  EXPECT_EQ(bundle.find(example_key()).error().code, ErrorCode::usage);
  EXPECT_EQ(bundle.insert(example_key(), example_artifact()).error().code, ErrorCode::usage);
}

TEST_F(StoreTest, InspectsALiveCacheAndLeavesNothingBesideIt) {
  ASSERT_TRUE(open("cache.db", Store::Mode::read_write).insert(example_key(), example_artifact()));
  {
    Store store = open("cache.db", Store::Mode::inspect);
    EXPECT_THAT(store.list().value(), SizeIs(1));
    EXPECT_EQ(store.insert(example_key("x"), example_artifact()).error().code, ErrorCode::usage);
  }
  EXPECT_THAT(files(), ElementsAre("cache.db"));
}

TEST_F(StoreTest, EntryHasThePreimageFields) {
  Store store = open("cache.db", Store::Mode::read_write);
  ASSERT_TRUE(store.insert(example_key("the text"), example_artifact()));
  const auto entry = store.entry(example_key("the text").digest).value();
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->artifact, example_artifact());
  ASSERT_THAT(entry->preimage, SizeIs(1));
  EXPECT_EQ(entry->preimage[0].tag, "text");
  EXPECT_EQ(entry->preimage[0].bytes, "the text");
  EXPECT_EQ(store.entry({1, 2}).value().has_value(), false);
}

TEST_F(StoreTest, FindsKeysByPrefix) {
  Store store = open("cache.db", Store::Mode::read_write);
  for (const auto& digest : {base::Digest{0x1200000000000000, 0}, base::Digest{0x12ffffffffffffff, ~0ull},
                             base::Digest{0x1300000000000000, 0}}) {
    ASSERT_TRUE(store.insert({digest, "preimage"}, example_artifact()));
  }
  EXPECT_THAT(store.keys_with_prefix("12").value(), SizeIs(2));
  EXPECT_THAT(store.keys_with_prefix("12f").value(), SizeIs(1));
  EXPECT_THAT(store.keys_with_prefix("13000000000000000000000000000000").value(), SizeIs(1));
  EXPECT_THAT(store.keys_with_prefix("").value(), SizeIs(3));
  EXPECT_THAT(store.keys_with_prefix("4").value(), IsEmpty());
  EXPECT_THAT(store.keys_with_prefix("12g").value(), IsEmpty());
}

TEST_F(StoreTest, MissingFileIsNotFoundWhereItMustExist) {
  for (const auto mode : {Store::Mode::read_only, Store::Mode::inspect}) {
    const auto store = Store::open(path("none.cudahot"), mode);
    ASSERT_FALSE(store);
    EXPECT_EQ(store.error().code, ErrorCode::not_found);
    EXPECT_THAT(store.error().message, HasSubstr("none.cudahot"));
  }
}

}  // namespace
}  // namespace cudahot::cache
