// Whatever is wrong with the user cache: the program gets its kernel, and one warning at most.
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cache/layers.hpp"
#include "cache/sqlite.hpp"
#include "tests/support/fault_vfs.hpp"
#include "tests/support/write_protected.hpp"
#include "tests/unit/cache/golden_content.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using test::FaultVfs;
using test_support::AsAnotherUser;
using test_support::WriteProtected;
using testing::AllOf;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Fault = FaultVfs::Fault;
using Origin = Layers::Origin;

class LayersFaults : public CacheTest {
 protected:
  LayersFaults() {
    std::filesystem::create_directory(path("folder"));
    ::chmod(path("").c_str(), 0755);
  }

  LayersOptions options() {
    LayersOptions result;
    result.user_cache = cache();
    result.log = [this](LogLevel level, std::string_view text) {
      EXPECT_EQ(level, LogLevel::warning);
      log.emplace_back(text);
    };
    return result;
  }
  std::filesystem::path cache() const { return path(cache_name); }

  void make_cache() {
    ASSERT_TRUE(open(cache_name, Store::Mode::read_write).insert(example_key("old"), example_artifact("old")));
  }
  void run_sql(const char* sql) {
    auto database = Database::open(cache(), Database::Access::read_write).value();
    const auto done = database.execute(sql);
    ASSERT_TRUE(done) << done.error().message;
  }

  // What a program does that needs three kernels, each several times. Gives whether the old one was found.
  bool run_program() {
    Layers layers(options());
    const auto old = layers.find(example_key("old"));
    if (old) {
      EXPECT_EQ(*old->artifact, example_artifact("old"));
    }
    for (const char* text : {"1", "2", "3"}) {
      auto claim = layers.claim(example_key(text));
      if (!claim.hit) {
        const auto stored = layers.insert(example_key(text), example_artifact(text), {}, std::move(claim.lease));
        EXPECT_EQ(*stored, example_artifact(text));
      }
      for (int i = 0; i < 3; ++i) {
        const auto hit = layers.find(example_key(text));
        EXPECT_TRUE(hit);
        if (hit) {
          EXPECT_EQ(*hit->artifact, example_artifact(text));
        }
      }
    }
    layers.flush();
    return old.has_value();
  }

  bool is_stored(const char* text) {
    LayersOptions silent = options();
    silent.log = {};
    const auto hit = Layers(std::move(silent)).find(example_key(text));
    return hit && *hit->artifact == example_artifact(text);
  }

  std::string cache_name = "folder/cache.db";
};

TEST_F(LayersFaults, ReadOnlyFileIsReadAndSaysThatItIsNotWritten) {
  make_cache();
  ::chmod(cache().c_str(), 0444);
  ::chmod(path("folder").c_str(), 0777);
  {
    const AsAnotherUser user;
    EXPECT_TRUE(run_program());
  }
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("not stored"), HasSubstr("cache.db"), HasSubstr("permissions"))));
}

TEST_F(LayersFaults, ReadOnlyFolderIsReadAndSaysThatItIsNotWritten) {
  make_cache();
  {
    const WriteProtected folder(path("folder"));
    EXPECT_TRUE(run_program());
  }
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("not stored"), HasSubstr("cache.db"))));
}

TEST_F(LayersFaults, FileOfAnotherUserIsOneWarning) {
  make_cache();
  ::chmod(cache().c_str(), 0600);
  ::chmod(path("folder").c_str(), 0777);
  {
    const AsAnotherUser user;
    EXPECT_FALSE(run_program());
  }
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("cache.db"), HasSubstr("permissions"))));
}

TEST_F(LayersFaults, FolderOfAnotherUserIsOneWarning) {
  make_cache();
  ::chmod(path("folder").c_str(), 0700);
  {
    const AsAnotherUser user;
    EXPECT_FALSE(run_program());
  }
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("cache.db"), HasSubstr("permissions"))));
}

TEST_F(LayersFaults, PathBelowAFileIsOneWarning) {
  ASSERT_TRUE(base::write_file_atomically(path("file"), "x"));
  cache_name = "file/cache.db";
  EXPECT_FALSE(run_program());
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("file/cache.db"), HasSubstr("CUDAHOT_CACHE"))));
}

TEST_F(LayersFaults, FolderInPlaceOfTheFileIsOneWarning) {
  std::filesystem::create_directory(cache());
  EXPECT_FALSE(run_program());
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("cache.db"), HasSubstr("it is a folder"))));
}

TEST_F(LayersFaults, AnotherProgramsFileIsOneWarningAndIsKept) {
  for (const char* content : {"not a database, but long enough to be one", "short", "1"}) {
    ASSERT_TRUE(base::write_file_atomically(cache(), content));
    log.clear();
    EXPECT_FALSE(run_program());
    EXPECT_THAT(log, ElementsAre(HasSubstr("cache.db")));
    ASSERT_TRUE(base::read_file(cache()).value() == content) << content;
  }
}

TEST_F(LayersFaults, ABundleIsReadAndNotWrittenToAndIsOneWarning) {
  make_bundle(cache_name, example_key("old"), example_artifact("old"));
  const std::string bundle = base::read_file(cache()).value();
  EXPECT_TRUE(run_program());
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("cache.db' is a bundle"), HasSubstr("CUDAHOT_CACHE"))));
  EXPECT_TRUE(base::read_file(cache()).value() == bundle);
  EXPECT_THAT(files("folder"), ElementsAre("cache.db"));
}

TEST_F(LayersFaults, ABundleOfWhichAllIsFoundIsNoTrouble) {
  make_bundle(cache_name, example_key("old"), example_artifact("old"));
  EXPECT_TRUE(Layers(options()).find(example_key("old")));
  EXPECT_THAT(log, IsEmpty());
}

TEST_F(LayersFaults, ADamagedBundleIsOneWarningAndIsKept) {
  make_bundle(cache_name, example_key("old"), example_artifact("old"));
  std::string bundle = base::read_file(cache()).value();
  bundle.replace(4096, 5 * 4096, 5 * 4096, '\xee');
  ASSERT_TRUE(base::write_file_atomically(cache(), bundle));
  EXPECT_FALSE(run_program());
  EXPECT_THAT(log, ElementsAre(HasSubstr("cache.db' is a bundle")));
  EXPECT_TRUE(base::read_file(cache()).value() == bundle);
}

TEST_F(LayersFaults, WhatIsNoFileIsOneWarningAndIsLeftAlone) {
  const auto at = [this](const char* target) { std::filesystem::create_symlink(target, cache()); };
  const std::pair<const char*, std::function<void()>> kinds[] = {
      {"pipe", [this] { ASSERT_EQ(::mkfifo(cache().c_str(), 0666), 0); }},
      {"socket", [this] { ASSERT_EQ(::mknod(cache().c_str(), S_IFSOCK | 0666, 0), 0); }},
      {"/dev/null", [&] { at("/dev/null"); }},
      {"/dev/zero", [&] { at("/dev/zero"); }},
  };
  for (const auto& [name, make] : kinds) {
    SCOPED_TRACE(name);
    std::filesystem::remove(cache());
    make();
    log.clear();
    EXPECT_FALSE(run_program());
    EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("cache.db"), HasSubstr("name a file"))));
    EXPECT_THAT(files("folder"), ElementsAre("cache.db"));
  }
}

TEST_F(LayersFaults, NewerSchemaIsOneWarningAndIsKept) {
  make_cache();
  run_sql("UPDATE meta SET value = 1000");
  EXPECT_FALSE(run_program());
  EXPECT_THAT(log, ElementsAre(HasSubstr("newer cudahot")));
  run_sql("UPDATE meta SET value = 1 WHERE name = 'lowest_compatible_version'");
  EXPECT_TRUE(is_stored("old"));
}

TEST_F(LayersFaults, OlderSchemaIsTakenOver) {
  golden::place_cache_of_schema_1(cache());
  run_program();
  EXPECT_THAT(log, IsEmpty());
  EXPECT_TRUE(is_stored("1"));
  EXPECT_EQ(Layers(options()).find(golden::key())->origin, Origin::user_cache);
}

TEST_F(LayersFaults, LeaseFileThatCannotBeHadIsNoTrouble) {
  std::filesystem::create_directory(path("folder/cache.db-leases"));
  run_program();
  EXPECT_THAT(log, IsEmpty());
  EXPECT_TRUE(is_stored("1"));
}

TEST_F(LayersFaults, LeaseFileOfAnotherUserIsNoTrouble) {
  ASSERT_TRUE(base::write_file_atomically(path("folder/cache.db-leases"), ""));
  ::chmod(path("folder/cache.db-leases").c_str(), 0600);
  ::chmod(path("folder").c_str(), 0777);
  {
    const AsAnotherUser user;
    run_program();
    EXPECT_TRUE(is_stored("1"));
  }
  EXPECT_THAT(log, IsEmpty());
}

// While a program runs, which has it open for reading and for writing.
TEST_F(LayersFaults, AFileThatIsWrittenOverOrALogThatIsCutIsOneWarningAtMost) {
  const auto run_child = [](const std::string& command) { ASSERT_EQ(std::system(command.c_str()), 0); };
  const std::string quoted = "'" + cache().string() + "'";
  const std::pair<std::string, bool> changes[] = {
      {": > " + quoted, true},
      {"echo x > " + quoted, false},
      {"cp '" + path("other.db").string() + "' " + quoted, true},
      {": > '" + cache().string() + "-wal'", true},
      {"truncate -s 5000 '" + cache().string() + "-wal'", true},
  };
  ASSERT_TRUE(open("other.db", Store::Mode::read_write).insert(example_key("x"), example_artifact("other")));
  for (const auto& [command, can_be_used] : changes) {
    SCOPED_TRACE(command);
    std::filesystem::remove_all(path("folder"));
    std::filesystem::create_directory(path("folder"));
    make_cache();
    log.clear();
    {
      LayersOptions small = options();
      small.memory_bytes = 1;
      Layers layers(std::move(small));
      EXPECT_TRUE(layers.find(example_key("old")));
      layers.insert(example_key("before"), example_artifact(std::string(20'000, 'b')));
      layers.flush();
      EXPECT_TRUE(layers.find(example_key("before")));
      run_child(command);
      for (const char* text : {"1", "2", "3"}) {
        auto claim = layers.claim(example_key(text));
        if (!claim.hit) layers.insert(example_key(text), example_artifact(text), {}, std::move(claim.lease));
        layers.flush();
      }
    }
    EXPECT_THAT(log, SizeIs(testing::Le(1)));
    if (!can_be_used) {
      EXPECT_EQ(base::read_file(cache()).value(), "x\n");
      continue;
    }
    EXPECT_TRUE(is_stored("3"));
    EXPECT_THAT(open(cache_name, Store::Mode::inspect).verify().value(), IsEmpty());
    log.clear();
    run_program();
    EXPECT_THAT(log, IsEmpty());
  }
}

// SQLite's sleeps are counted.
class LockedLayers : public LayersFaults {
 protected:
  LockedLayers() : holder_(Database::open(cache(), Database::Access::create).value()) {}
  FaultVfs disk_;
  Database holder_;
};

TEST_F(LockedLayers, ACacheThatIsWrittenForAMinuteCanBeRead) {
  make_cache();
  ASSERT_TRUE(holder_.uses_wal().value());
  auto transaction = Transaction::begin(holder_);
  ASSERT_TRUE(transaction);
  EXPECT_TRUE(run_program());
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("not stored"), HasSubstr("another process holds it"))));
}

TEST_F(LockedLayers, ACacheThatIsLockedForAMinuteHardlyDelaysALookup) {
  make_cache();
  ASSERT_TRUE(holder_.execute("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE"));
  {
    Layers layers(options());
    const auto before = disk_.slept();
    EXPECT_FALSE(layers.find(example_key("old")));
    EXPECT_LE(disk_.slept() - before, kShortWait);
    for (int i = 0; i < 100; ++i) EXPECT_FALSE(layers.find(example_key("old")));
    EXPECT_LE(disk_.slept() - before, 3 * kShortWait) << "then it is left alone for a while";
  }
  log.clear();
  EXPECT_FALSE(run_program());
  EXPECT_THAT(log, ElementsAre(HasSubstr("another process holds it")));
  ASSERT_TRUE(holder_.execute("ROLLBACK"));
  EXPECT_TRUE(is_stored("old"));
}

// At each operation of the disk in turn.
class LayersOnABadDisk : public LayersFaults {
 protected:
  void check_each(const std::function<void()>& prepare, const std::function<void()>& check) {
    for (const Fault fault : {Fault::full, Fault::half_write, Fault::input_output, Fault::busy, Fault::power_cut}) {
      bool reached = true;
      for (int number = 1; reached; number += 3) {
        SCOPED_TRACE(fmt::format("{} at operation {}", to_string(fault), number));
        std::filesystem::remove_all(path("folder"));
        std::filesystem::create_directory(path("folder"));
        prepare();
        log.clear();
        disk_.arm(fault, number);
        run_program();
        disk_.disarm();
        reached = disk_.fired();
        EXPECT_THAT(log, SizeIs(testing::Le(1)));
        log.clear();
        check();
        // Twice: what was hit before damage was found goes with it.
        run_program();
        run_program();
        for (const char* text : {"1", "2", "3"}) EXPECT_TRUE(is_stored(text)) << text << testing::PrintToString(log);
        EXPECT_THAT(open(cache_name, Store::Mode::inspect).verify().value(), IsEmpty());
        ASSERT_FALSE(HasFailure());
      }
    }
  }
  FaultVfs disk_;
};

TEST_F(LayersOnABadDisk, GiveKernelsAndOneWarningAtMost) {
  check_each([this] { make_cache(); },
             [this] {
               EXPECT_TRUE(is_stored("old"));
               EXPECT_THAT(log, IsEmpty());
             });
}

TEST_F(LayersOnABadDisk, ADamagedCacheIsStartedAnewThenOrLater) {
  check_each(
      [this] {
        make_cache();
        const int descriptor = ::open(cache().c_str(), O_RDWR | O_CLOEXEC);
        const std::string garbage(4096, '\xee');
        for (const off_t page : {1, 2, 3, 4}) EXPECT_GT(::pwrite(descriptor, garbage.data(), 4096, page * 4096), 0);
        ::close(descriptor);
      },
      [] {});
}

TEST_F(LayersFaults, ADiskThatIsReallyFullIsOneWarning) {
  if (::mount("none", path("folder").c_str(), "tmpfs", 0, "size=144k") != 0) {
    GTEST_SKIP() << "a small disk cannot be mounted here (needs the superuser)";
  }
  make_cache();
  LayersOptions on_it = options();
  {
    Layers layers(std::move(on_it));
    for (int i = 0; i < 20; ++i) {
      const std::string text = std::to_string(i);
      layers.insert(example_key(text), example_artifact(std::string(20'000, 'x')));
      layers.flush();
      EXPECT_TRUE(layers.find(example_key(text)));
    }
  }
  EXPECT_THAT(log, ElementsAre(AllOf(HasSubstr("not stored"), HasSubstr("full"), HasSubstr("make room"))));
  EXPECT_TRUE(is_stored("old"));
  EXPECT_THAT(open(cache_name, Store::Mode::inspect).verify().value(), IsEmpty());
  EXPECT_EQ(::umount(path("folder").c_str()), 0);
}

}  // namespace
}  // namespace cudahot::cache
