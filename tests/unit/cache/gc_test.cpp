#include "cache/gc.hpp"

#include <set>

#include <gmock/gmock.h>

#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

EntrySummary entry(std::uint64_t id, std::uint64_t bytes, std::int64_t created, std::int64_t last_used = 0) {
  EntrySummary summary;
  summary.key = {id, id};
  summary.stored_bytes = bytes;
  summary.created_unix = created;
  summary.last_used_unix = last_used;
  return summary;
}

std::vector<std::uint64_t> ids(const GcPlan& plan) {
  std::vector<std::uint64_t> result;
  for (const base::Digest& key : plan.remove) result.push_back(key.low);
  return result;
}

constexpr std::uint64_t kEntry = 4096 + 512;  // what an entry of up to 4 kB counts for

TEST(PlanGc, RemovesNothingWithinTheBounds) {
  GcPolicy policy;
  policy.max_bytes = 2 * kEntry;
  policy.max_age = seconds(100);
  const GcPlan plan = plan_gc({entry(1, 1, 950), entry(2, 4096, 900)}, policy, 1000, {});
  EXPECT_THAT(ids(plan), IsEmpty());
  EXPECT_EQ(plan.keep_bytes, 2 * kEntry);
}

TEST(PlanGc, RemovesTheLeastRecentlyUsedUntilThereIsRoom) {
  GcPolicy policy;
  policy.max_bytes = 4 * kEntry;
  policy.fill = 0.5;
  // Used at 10, 50, 30, 40 and, never used, made at 20.
  const GcPlan plan =
      plan_gc({entry(1, 1, 5, 10), entry(2, 1, 1, 50), entry(3, 1, 2, 30), entry(4, 1, 3, 40), entry(5, 1, 20)}, policy,
              1000, {});
  EXPECT_THAT(ids(plan), ElementsAre(1, 5, 3));
  EXPECT_EQ(plan.remove_bytes, 3 * kEntry);
  EXPECT_EQ(plan.keep_bytes, 2 * kEntry);
}

TEST(PlanGc, NeverRemovesAnEntryInUse) {
  GcPolicy policy;
  policy.max_bytes = 0;
  policy.max_age = seconds(1);
  const GcPlan plan = plan_gc({entry(1, 1, 1), entry(2, 1, 2), entry(3, 1, 3)}, policy, 1000,
                              [](const base::Digest& key) { return key.low == 2; });
  EXPECT_THAT(ids(plan), ElementsAre(1, 3));
  EXPECT_EQ(plan.kept_in_use, 1u);
  EXPECT_EQ(plan.keep_bytes, kEntry);
}

TEST(PlanGc, RemovesWhatIsTooOldAlsoWhenThereIsRoom) {
  GcPolicy policy;
  policy.max_bytes = std::nullopt;
  policy.max_age = seconds(100);
  EXPECT_THAT(ids(plan_gc({entry(1, 1, 899), entry(2, 1, 900), entry(3, 1, 1, 950)}, policy, 1000, {})),
              ElementsAre(1));
}

TEST(PlanGc, KeepsWhatWasUsedLatelyWhereThatIsAsked) {
  GcPolicy policy;
  policy.max_bytes = 0;
  policy.keep_at_least = seconds(60);
  EXPECT_THAT(ids(plan_gc({entry(1, 1, 900), entry(2, 1, 1, 960)}, policy, 1000, {})), ElementsAre(1));
}

class RunGc : public CacheTest {
 protected:
  void fill(Store& store, int count) {
    for (int i = 0; i < count; ++i) {
      const CacheKey key = example_key(std::to_string(i));
      ASSERT_TRUE(store.insert(key, example_artifact(std::string(20'000, static_cast<char>('a' + i % 20)))));
    }
  }
};

TEST_F(RunGc, RemovesWhatIsPlannedAndTheFileShrinks) {
  Store store = open("cache.db", Store::Mode::read_write);
  fill(store, 200);
  GcPolicy policy;
  policy.max_bytes = 1'000'000;
  const auto plan = plan_gc(store.list().value(), policy, 0, {});
  const auto outcome = run_gc(store, plan, {}).value();
  EXPECT_TRUE(outcome.finished);
  EXPECT_EQ(outcome.removed, plan.remove.size());
  EXPECT_EQ(store.list().value().size(), 200 - plan.remove.size());
  EXPECT_EQ(store.size().value().free_bytes, 0u);
  EXPECT_LE(store.size().value().file_bytes, 1'000'000u);
  EXPECT_GT(outcome.freed_bytes, 2'500'000u);
  EXPECT_THAT(store.verify().value(), IsEmpty());
}

TEST_F(RunGc, StepsOverWhatCameIntoUseMeanwhile) {
  Store store = open("cache.db", Store::Mode::read_write);
  fill(store, 3);
  GcPolicy policy;
  policy.max_bytes = 0;
  const auto plan = plan_gc(store.list().value(), policy, 0, {});
  ASSERT_EQ(plan.remove.size(), 3u);
  const auto kept = plan.remove[1];
  EXPECT_EQ(run_gc(store, plan, [&](const base::Digest& key) { return key == kept; }).value().removed, 2u);
  EXPECT_EQ(store.list().value()[0].key, kept);
}

TEST_F(RunGc, EndsBetweenStepsWhenToldTo) {
  Store store = open("cache.db", Store::Mode::read_write);
  fill(store, 130);
  GcPolicy policy;
  policy.max_bytes = 0;
  const auto plan = plan_gc(store.list().value(), policy, 0, {});
  int asked = 0;
  const auto outcome = run_gc(store, plan, {}, [&] { return ++asked > 1; }).value();
  EXPECT_FALSE(outcome.finished);
  EXPECT_GT(outcome.removed, 0u);
  EXPECT_EQ(store.list().value().size(), 130 - outcome.removed);
}

}  // namespace
}  // namespace cudahot::cache
