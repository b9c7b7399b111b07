#include "cache/layers.hpp"

#include <atomic>
#include <thread>
#include <utility>

#include <gmock/gmock.h>

#include "cache/memory_layer.hpp"
#include "cache/sqlite.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Origin = Layers::Origin;

class LayersTest : public CacheTest {
 protected:
  LayersOptions options(std::vector<std::string> bundles, bool with_user_cache = true) {
    LayersOptions result;
    for (const std::string& bundle : bundles) result.bundles.push_back(path(bundle));
    if (with_user_cache) result.user_cache = path("cache.db");
    result.log = [this](LogLevel level, std::string_view text) {
      EXPECT_EQ(level, LogLevel::warning);
      log.emplace_back(text);
    };
    return result;
  }
};

TEST_F(LayersTest, AskMemoryThenBundlesThenTheUserCache) {
  make_bundle("first.cudahot", example_key("a"), example_artifact("first"));
  make_bundle("second.cudahot", example_key("a"), example_artifact("second"));
  {
    Layers(options({})).insert(example_key("b"), example_artifact("cached"));
  }

  Layers layers(options({"first.cudahot", "second.cudahot"}));
  const auto from_bundle = layers.find(example_key("a"));
  ASSERT_TRUE(from_bundle);
  EXPECT_EQ(from_bundle->origin, Origin::bundle);
  EXPECT_EQ(from_bundle->artifact->blob, "first");
  const auto from_cache = layers.find(example_key("b"));
  ASSERT_TRUE(from_cache);
  EXPECT_EQ(from_cache->origin, Origin::user_cache);
  EXPECT_EQ(from_cache->artifact->blob, "cached");
  for (const char* text : {"a", "b"}) {
    const auto again = layers.find(example_key(text));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->origin, Origin::memory);
  }
  EXPECT_FALSE(layers.find(example_key("c")));
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(LayersTest, WithoutDatabasesMemoryRemains) {
  Layers layers(options({}, false));
  layers.insert(example_key(), example_artifact());
  ASSERT_TRUE(layers.find(example_key()));
  EXPECT_EQ(layers.find(example_key())->origin, Origin::memory);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(LayersTest, FindingWritesNothing) {
  Layers layers(options({}));
  EXPECT_FALSE(layers.find(example_key()));
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(LayersTest, EachTroubleIsOneWarningAndThenAMiss) {
  ASSERT_TRUE(base::write_file_atomically(path("text.cudahot"), "not a database, but long enough to be one"));
  ASSERT_TRUE(base::write_file_atomically(path("cache.db"), "not a database, but long enough to be one"));
  make_bundle("good.cudahot");
  Layers layers(options({"missing.cudahot", "text.cudahot", "good.cudahot"}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_FALSE(layers.find(example_key("unknown")));
    layers.insert(example_key("x"), example_artifact());
  }
  EXPECT_EQ(layers.find(example_key())->origin, Origin::bundle);
  EXPECT_EQ(layers.find(example_key("x"))->origin, Origin::memory);
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("bundle"), HasSubstr("missing.cudahot")),
                               AllOf(HasSubstr("bundle"), HasSubstr("text.cudahot")),
                               AllOf(HasSubstr("cache"), HasSubstr("cache.db"))));
}

TEST_F(LayersTest, FailedInsertsAreOneWarning) {
  ASSERT_TRUE(base::write_file_atomically(path("file"), "x"));
  LayersOptions with_bad_place = options({});
  with_bad_place.user_cache = path("file/cache.db");
  Layers layers(std::move(with_bad_place));
  for (const char* text : {"a", "b", "c"}) {
    layers.insert(example_key(text), example_artifact());
    EXPECT_TRUE(layers.find(example_key(text)));
  }
  layers.flush();
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("not stored"), HasSubstr("file/cache.db"))));
}

TEST_F(LayersTest, BusyCacheIsOneWarningAndIsLeftAloneForAWhile) {
  {
    Layers(options({})).insert(example_key("old"), example_artifact());
  }
  auto holder = Database::open(path("cache.db"), Database::Access::read_write).value();
  auto transaction = Transaction::begin(holder);
  ASSERT_TRUE(transaction);
  Layers layers(options({}));
  layers.insert(example_key("a"), example_artifact());
  layers.insert(example_key("b"), example_artifact());
  EXPECT_EQ(layers.find(example_key("a"))->origin, Origin::memory);
  layers.flush();
  EXPECT_THAT(log, ElementsAre(HasSubstr("another process")));
}

TEST_F(LayersTest, DamagedRowIsOneWarningAndIsReplaced) {
  {
    Layers(options({})).insert(example_key(), example_artifact());
  }
  {
    auto database = Database::open(path("cache.db"), Database::Access::read_write).value();
    ASSERT_TRUE(database.execute("UPDATE artifact_content SET blob = x'00'"));
  }
  {
    Layers layers(options({}));
    EXPECT_FALSE(layers.find(example_key()));
    EXPECT_THAT(log, ElementsAre(HasSubstr("damaged")));
    layers.insert(example_key(), example_artifact());
  }
  EXPECT_EQ(Layers(options({})).find(example_key())->origin, Origin::user_cache);
}

TEST_F(LayersTest, SlicesOfEarlierBundlesWin) {
  Store::StoredSlice slice{region::example_slice(), example_toolkit(), example_helper_library()};
  const auto bundle = [&](const char* name, const char* nvrtc, const char* extra) {
    Store store = open(name, Store::Mode::create_bundle);
    Store::StoredSlice stored = slice;
    stored.toolkit.nvrtc = nvrtc;
    ASSERT_TRUE(store.put_slice(stored));
    stored.slice.files[0].path = extra;
    ASSERT_TRUE(store.put_slice(stored));
    ASSERT_TRUE(store.finish());
  };
  bundle("first.cudahot", "one", "/src/b.cu");
  bundle("second.cudahot", "two", "/src/c.cu");
  std::vector<std::string> seen;
  Layers layers(options({"first.cudahot", "second.cudahot"}));
  for (const auto& shipped : layers.slices()) {
    seen.push_back(shipped.head.source + " " + shipped.toolkit.nvrtc + " " + std::to_string(shipped.bundle));
    slice.slice.files[0].path = shipped.head.source;
    EXPECT_EQ(layers.slice(shipped).value(), slice.slice);
  }
  EXPECT_THAT(seen, ElementsAre("/src/a.cu one 0", "/src/b.cu one 0", "/src/c.cu two 1"));
}

TEST_F(LayersTest, ManyThreadsFindAndInsert) {
  constexpr int kThreads = 4;
  make_bundle("app.cudahot", example_key("bundled"), example_artifact("bundled"));
  LayersOptions small = options({"app.cudahot"});
  small.memory_bytes = 8192;
  Layers layers(std::move(small));
  // Who meets a cache while it is made may find it busy, on a slow disk often enough for a warning.
  layers.insert(example_key("made"), example_artifact("made"));
  layers.flush();
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 25; ++i) {
        const std::string text = std::to_string((t + i) % 10);
        auto hit = layers.find(example_key(text));
        if (hit && hit->artifact->blob != text) ++wrong;
        if (!hit) layers.insert(example_key(text), example_artifact(text));
        hit = layers.find(example_key("bundled"));
        if (!hit || hit->artifact->blob != "bundled") ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(log, IsEmpty());
}

TEST(MemoryLayerTest, KeepsTheMostRecentlyUsedWithinItsBound) {
  const auto artifact = std::make_shared<const Artifact>(example_artifact(std::string(1000, 'x')));
  MemoryLayer probe(1u << 20);
  probe.insert(example_key("a"), artifact);
  const std::size_t one = probe.used_bytes();
  MemoryLayer memory(2 * one);
  memory.insert(example_key("a"), artifact);
  memory.insert(example_key("b"), artifact);
  EXPECT_TRUE(memory.find(example_key("a")));
  memory.insert(example_key("c"), artifact);
  EXPECT_TRUE(memory.find(example_key("a")));
  EXPECT_FALSE(memory.find(example_key("b")));
  EXPECT_TRUE(memory.find(example_key("c")));
  EXPECT_EQ(memory.used_bytes(), 2 * one);
}

TEST(MemoryLayerTest, ReplacesAndAccountsForTheSameKey) {
  MemoryLayer memory(1u << 20);
  memory.insert(example_key(), std::make_shared<const Artifact>(example_artifact(std::string(5000, 'x'))));
  memory.insert(example_key(), std::make_shared<const Artifact>(example_artifact("new")));
  EXPECT_EQ(memory.find(example_key())->blob, "new");
  EXPECT_LT(memory.used_bytes(), 5000u);
}

TEST(MemoryLayerTest, DoesNotKeepWhatIsLargerThanItsBound) {
  MemoryLayer memory(2000);
  const auto small = std::make_shared<const Artifact>(example_artifact("small"));
  memory.insert(example_key("small"), small);
  memory.insert(example_key("large"), std::make_shared<const Artifact>(example_artifact(std::string(5000, 'x'))));
  EXPECT_TRUE(memory.find(example_key("small")));
  EXPECT_FALSE(memory.find(example_key("large")));
}

TEST(MemoryLayerTest, CollisionIsAMiss) {
  MemoryLayer memory(1u << 20);
  memory.insert(example_key("one"), std::make_shared<const Artifact>(example_artifact()));
  EXPECT_FALSE(memory.find({example_key("one").digest, example_key("two").preimage}));
}

TEST_F(LayersTest, ClaimGivesALeaseOnAMissAndTheHitToWhoWaited) {
  Layers first(options({}));
  Layers second(options({}));
  auto claim = first.claim(example_key());
  EXPECT_FALSE(claim.hit);
  EXPECT_TRUE(claim.lease);

  bool told = false;
  const auto waited = second.claim(example_key(), [&] {
    if (!std::exchange(told, true)) first.insert(example_key(), example_artifact(), {}, std::move(claim.lease));
    return false;
  });
  EXPECT_TRUE(told);
  ASSERT_TRUE(waited.hit);
  EXPECT_EQ(waited.hit->origin, Origin::user_cache);
  EXPECT_EQ(*waited.hit->artifact, example_artifact());
  EXPECT_FALSE(waited.lease);
}

TEST_F(LayersTest, CompileThatFailedLetsTheNextOneTry) {
  Layers first(options({}));
  auto claim = first.claim(example_key());
  first.note_failed(example_key(), example_artifact(), std::move(claim.lease));
  first.flush();
  Layers second(options({}));
  const auto next = second.claim(example_key());
  EXPECT_FALSE(next.hit);
  EXPECT_TRUE(next.lease);
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_THAT(store.misses(example_artifact().source).value(), SizeIs(1));
  EXPECT_THAT(store.list().value(), IsEmpty());
}

TEST_F(LayersTest, WithoutAUserCacheThereIsNothingToWaitFor) {
  Layers layers(options({}, false));
  const auto claim = layers.claim(example_key());
  EXPECT_FALSE(claim.hit);
  EXPECT_FALSE(claim.lease);
  layers.note_failed(example_key(), example_artifact());
  layers.flush();
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(LayersTest, DamagedEntryIsTheReasonOfItsMiss) {
  {
    Layers(options({})).insert(example_key(), example_artifact());
  }
  {
    auto database = Database::open(path("cache.db"), Database::Access::read_write).value();
    ASSERT_TRUE(database.execute("UPDATE artifact_content SET blob = x'00'"));
  }
  {
    Layers layers(options({}));
    EXPECT_FALSE(layers.find(example_key()));
    layers.insert(example_key(), example_artifact());
  }
  EXPECT_EQ(open("cache.db", Store::Mode::read_write).misses(example_artifact().source).value()[0].reason,
            MissReason::damaged);
}

// 40 entries of 20 kB and a bound of 400 kB, filled to 360 kB: the last used 14 fit, and the one that is held.
TEST_F(LayersTest, CacheStaysWithinItsBoundAndKeepsWhatIsInUse) {
  LayersOptions small = options({});
  small.gc.max_bytes = 400'000;
  small.memory_bytes = 0;
  std::shared_ptr<const Artifact> held;
  {
    Layers layers(small);
    held = layers.insert(example_key("held"), example_artifact(std::string(20'000, 'h')));
    for (int i = 0; i < 40; ++i) {
      layers.insert(example_key(std::to_string(i)), example_artifact(std::string(20'000, 'a')));
    }
    layers.flush();
  }
  Layers layers(small);
  layers.insert(example_key("new"), example_artifact());
  layers.flush();
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_LE(store.size().value().file_bytes, 400'000u);
  EXPECT_GT(store.list().value().size(), 10u);
  EXPECT_LT(store.list().value().size(), 20u);
  EXPECT_TRUE(store.find(example_key("held")).value());
  EXPECT_TRUE(store.find(example_key("new")).value());
  EXPECT_THAT(store.verify().value(), IsEmpty());
}

TEST_F(LayersTest, WhatIsNoLongerHeldMayGo) {
  LayersOptions small = options({});
  small.gc.max_bytes = 0;
  small.memory_bytes = 0;
  {
    Layers layers(small);
    layers.insert(example_key("one"), example_artifact());
    layers.flush();
  }
  {
    Layers layers(small);
    const auto held = layers.insert(example_key("two"), example_artifact());
    layers.flush();
  }
  Store store = open("cache.db", Store::Mode::read_write);
  EXPECT_FALSE(store.find(example_key("one")).value());
  EXPECT_TRUE(store.find(example_key("two")).value());
}

}  // namespace
}  // namespace cudahot::cache
