// What a store does when the disk below it fails, at each thing that it asks of the disk in turn.
#include <cctype>
#include <cstdlib>
#include <functional>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cache/sqlite.hpp"
#include "tests/support/fault_vfs.hpp"
#include "tests/unit/cache/golden_content.hpp"
#include "tests/unit/cache/memory_disk.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using Fault = test::FaultVfs::Fault;
using test::FaultVfs;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

const auto* const kDisk = testing::AddGlobalTestEnvironment(new MemoryDisk);

constexpr Fault kFaults[] = {Fault::full, Fault::half_write, Fault::input_output, Fault::busy, Fault::power_cut};
constexpr int kMostOperations = 2000;

// A large blob takes pages of its own, and many writes.
const std::string kLarge(20'000, 'L');

struct Expectation {
  const char* key;
  std::vector<std::optional<std::string>> blobs;  // any of these is right after a failure
  std::optional<std::string> when_done;           // nullopt: that of a run without failure is any of them, too
};

struct Scenario {
  const char* name;
  std::function<void(const std::filesystem::path& cache)> prepare;
  std::function<Status(const std::filesystem::path& cache)> act;
  std::vector<Expectation> expected;
  std::function<void(const std::filesystem::path& cache)> also = {};  // is right in any case; may be empty
};

Status insert(const std::filesystem::path& cache, const char* key, const std::string& blob) {
  auto store = Store::open(cache, Store::Mode::read_write);
  if (!store) return fail(store.error());
  return store->insert(example_key(key), example_artifact(blob));
}

Result<std::optional<std::string>> find(const std::filesystem::path& cache, const char* key) {
  auto store = Store::open(cache, Store::Mode::read_write);
  if (!store) return fail(store.error());
  auto found = store->find(example_key(key));
  if (!found) return fail(found.error());
  if (!*found) return std::nullopt;
  EXPECT_EQ(**found, example_artifact((*found)->blob));
  return (*found)->blob;
}

void must(const Status& done) { ASSERT_TRUE(done) << done.error().message; }

void run_sql(const std::filesystem::path& cache, const char* sql) {
  auto database = Database::open(cache, Database::Access::read_write);
  ASSERT_TRUE(database) << database.error().message;
  must(database->execute(sql));
}

void one_old_entry(const std::filesystem::path& cache) { must(insert(cache, "old", "a")); }

// As a process leaves it that was killed: the last entry is in the log alone.
void entry_in_the_log(const std::filesystem::path& cache) {
  const auto original = cache.parent_path() / "original.db";
  must(insert(original, "old", "a"));
  Store store = Store::open(original, Store::Mode::read_write).value();
  must(store.insert(example_key("logged"), example_artifact(kLarge)));
  for (const char* suffix : {"", "-wal"}) {
    std::filesystem::copy_file(original.string() + suffix, cache.string() + suffix);
  }
}

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all = {
      {"first insert",
       [](const auto&) {},
       [](const auto& cache) { return insert(cache, "new", kLarge); },
       {{"new", {std::nullopt, kLarge}, kLarge}}},
      {"insert beside another",
       one_old_entry,
       [](const auto& cache) { return insert(cache, "new", kLarge); },
       {{"old", {"a"}, "a"}, {"new", {std::nullopt, kLarge}, kLarge}}},
      {"replace",
       one_old_entry,
       [](const auto& cache) { return insert(cache, "old", kLarge); },
       {{"old", {"a", kLarge}, kLarge}}},
      {"several in one store",
       one_old_entry,
       [](const auto& cache) -> Status {
         auto store = Store::open(cache, Store::Mode::read_write);
         if (!store) return fail(store.error());
         Status last;
         for (const char* key : {"1", "2", "3"}) {
           if (const auto done = store->insert(example_key(key), example_artifact(key)); !done) last = done;
           EXPECT_THAT(store->find(example_key("old")).value_or(example_artifact("a")),
                       AnyOf(std::optional<Artifact>(), example_artifact("a")));
         }
         return last;
       },
       {{"old", {"a"}, "a"},
        {"1", {std::nullopt, "1"}, "1"},
        {"2", {std::nullopt, "2"}, "2"},
        {"3", {std::nullopt, "3"}, "3"}}},
      {"damaged row is removed",
       [](const auto& cache) {
         one_old_entry(cache);
         must(insert(cache, "damaged", kLarge));
         run_sql(cache, "UPDATE artifact_content SET kernels = '[]' WHERE length(blob) > 1000");
       },
       [](const auto& cache) -> Status {
         const auto found = find(cache, "damaged");
         if (!found) return fail(found.error());
         EXPECT_EQ(*found, std::nullopt);
         return {};
       },
       {{"old", {"a"}, "a"}, {"damaged", {std::nullopt}, std::nullopt}}},
      {"hits are written",
       one_old_entry,
       [](const auto& cache) -> Status {
         const auto found = find(cache, "old");
         if (!found) return fail(found.error());
         EXPECT_EQ(*found, "a");
         return {};
       },
       {{"old", {"a"}, "a"}}},
      {"find what only the log has",
       entry_in_the_log,
       [](const auto& cache) -> Status {
         const auto found = find(cache, "logged");
         if (!found) return fail(found.error());
         EXPECT_EQ(*found, kLarge);
         return {};
       },
       {{"old", {"a"}, "a"}, {"logged", {kLarge}, kLarge}}},
      {"insert behind what only the log has",
       entry_in_the_log,
       [](const auto& cache) { return insert(cache, "new", kLarge); },
       {{"old", {"a"}, "a"}, {"logged", {kLarge}, kLarge}, {"new", {std::nullopt, kLarge}, kLarge}}},
      {"remove",
       [](const auto& cache) {
         one_old_entry(cache);
         must(insert(cache, "removed", kLarge));
       },
       [](const auto& cache) -> Status {
         auto store = Store::open(cache, Store::Mode::read_write);
         if (!store) return fail(store.error());
         const auto removed = store->remove({example_key("removed").digest});
         return removed ? Status() : fail(removed.error());
       },
       {{"old", {"a"}, "a"}, {"removed", {kLarge, std::nullopt}, std::nullopt}}},
      {"give pages back",
       [](const auto& cache) {
         one_old_entry(cache);
         must(insert(cache, "removed", kLarge));
         ASSERT_TRUE(Store::open(cache, Store::Mode::read_write)->remove({example_key("removed").digest}));
       },
       [](const auto& cache) -> Status {
         auto store = Store::open(cache, Store::Mode::read_write);
         if (!store) return fail(store.error());
         return store->shrink(1u << 20);
       },
       {{"old", {"a"}, "a"}}},
      {"note a miss",
       one_old_entry,
       [](const auto& cache) -> Status {
         auto store = Store::open(cache, Store::Mode::read_write);
         if (!store) return fail(store.error());
         return store->note_miss(example_key("new"), example_artifact());
       },
       {{"old", {"a"}, "a"}}},
      {"migrate from schema 1",
       golden::place_cache_of_schema_1,
       [](const auto& cache) { return insert(cache, "new", kLarge); },
       {{"new", {std::nullopt, kLarge}, kLarge}},
       [](const auto& cache) {
         auto store = Store::open(cache, Store::Mode::read_write).value();
         EXPECT_EQ(store.find(golden::key()).value(), golden::artifact());
         EXPECT_EQ(store.find(golden::library_key()).value(), golden::library());
       }},
  };
  return all;
}

class DiskFaults : public CacheTest, public testing::WithParamInterface<std::size_t> {
 protected:
  DiskFaults() {
    std::filesystem::create_directory(path("before"));
    scenario().prepare(path("before") / "cache.db");
  }

  static const Scenario& scenario() { return scenarios()[GetParam()]; }

  // The file as the scenario finds it, in a folder of its own.
  std::filesystem::path fresh_cache() {
    std::filesystem::remove_all(path("now"));
    std::filesystem::copy(path("before"), path("now"), std::filesystem::copy_options::recursive);
    return path("now") / "cache.db";
  }

  // Without faults: nothing half is there, and everything that should be.
  void check(const std::filesystem::path& cache, bool done) {
    EXPECT_FALSE(std::filesystem::exists(cache.string() + ".damaged"));
    {
      auto store = Store::open(cache, Store::Mode::read_write);
      ASSERT_TRUE(store) << store.error().message;
      const auto problems = store->verify();
      ASSERT_TRUE(problems) << problems.error().message;
      // A damaged row that could not be removed may be left, until it is asked for.
      for (const auto& problem : *problems) {
        EXPECT_EQ(problem.subject, base::to_hex(example_key("damaged").digest)) << problem.text;
      }
    }
    for (const Expectation& expected : scenario().expected) {
      const auto found = find(cache, expected.key);
      ASSERT_TRUE(found) << found.error().message;
      EXPECT_THAT(expected.blobs, Contains(*found)) << expected.key;
      if (done && expected.when_done) {
        EXPECT_EQ(*found, expected.when_done) << expected.key;
      }
    }
    if (scenario().also) scenario().also(cache);
    must(insert(cache, "afterwards", "x"));
    EXPECT_EQ(find(cache, "afterwards").value(), "x");
    EXPECT_THAT(Store::open(cache, Store::Mode::read_write)->verify().value(), IsEmpty());
  }

  FaultVfs disk_;
};

void expect_clear(const Error& error, Fault fault) {
  EXPECT_THAT(error.message, HasSubstr("cache.db"));
  EXPECT_THAT(error.code, AnyOf(ErrorCode::environment, ErrorCode::busy)) << error.message;
  if (fault == Fault::busy) {
    EXPECT_EQ(error.code, ErrorCode::busy) << error.message;
  }
  if (fault == Fault::full || fault == Fault::half_write) {
    EXPECT_EQ(error.code, ErrorCode::environment);
    EXPECT_THAT(error.message, HasSubstr("full"));
    EXPECT_THAT(error.message, HasSubstr("make room"));
  }
}

TEST_P(DiskFaults, LoseNothingThatWasStoredAndLeaveNothingHalf) {
  for (const Fault fault : kFaults) {
    bool reached = true;
    for (int number = 1; reached; ++number) {
      SCOPED_TRACE(fmt::format("{}: {} at operation {}", scenario().name, to_string(fault), number));
      ASSERT_LT(number, kMostOperations);
      const auto cache = fresh_cache();
      disk_.arm(fault, number);
      const Status done = scenario().act(cache);
      disk_.disarm();
      reached = disk_.fired();
      if (!done) expect_clear(done.error(), fault);
      if (!reached) {
        EXPECT_TRUE(done) << done.error().message;
      }
      check(cache, done.has_value());
      if (HasFailure()) return;
    }
  }
}

std::string test_name(const testing::TestParamInfo<std::size_t>& scenario) {
  std::string name = scenarios()[scenario.param].name;
  for (std::size_t at = 0; (at = name.find(' ', at)) != std::string::npos;) {
    name.erase(at, 1);
    name[at] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[at])));
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, DiskFaults, testing::Range(std::size_t{0}, scenarios().size()), test_name);

}  // namespace
}  // namespace cudahot::cache
