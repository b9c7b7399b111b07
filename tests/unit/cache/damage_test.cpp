// Bundles and caches that are cut, zeroed or flipped anywhere: never a wrong artifact, and the program gets its own.
#include <cstdlib>
#include <random>

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cache/layers.hpp"
#include "tests/unit/cache/memory_disk.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const auto* const kDisk = testing::AddGlobalTestEnvironment(new MemoryDisk);

#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kCutStep = 211;
constexpr int kFlips = 200;
#else
constexpr std::size_t kCutStep = 1;
constexpr int kFlips = 2000;
#endif
// Every so many cuts the whole way is gone, through an insert.
constexpr std::size_t kWholeWay = 50;
constexpr std::size_t kPage = 4096;

// Cut there, a database is another one than cut one byte later: SQLite takes what is missing of the last page for
// zeros.
bool matters(const std::string& file, std::size_t size) { return size % kPage == 0 || file[size] != '\0'; }

// In the header: what says that a file is a database, and that it is ours.
bool says_what_it_is(std::size_t position) { return position < 16 || (position >= 68 && position < 72); }

class Damage : public CacheTest {
 protected:
  Damage() {
    // As a process leaves it that was killed: the second entry is in the log alone.
    EXPECT_TRUE(open("original.db", Store::Mode::read_write).insert(example_key("old"), example_artifact("old")));
    {
      Store store = open("original.db", Store::Mode::read_write);
      EXPECT_TRUE(store.insert(example_key("logged"), example_artifact("logged")));
      std::filesystem::copy_file(path("original.db"), path("copy"));
      std::filesystem::copy_file(path("original.db-wal"), path("copy-wal"));
    }
    killed_ = {base::read_file(path("copy")).value(), base::read_file(path("copy-wal")).value()};
    closed_ = {base::read_file(path("original.db")).value(), ""};
  }

  struct Files {
    std::string database;
    std::string log;  // empty: none
  };

  static void write(const std::filesystem::path& file, std::string_view content) {
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    ASSERT_EQ(::write(descriptor, content.data(), content.size()), static_cast<ssize_t>(content.size()));
    ::close(descriptor);
  }

  // The cache as it is for each trial.
  void place(const Files& files) {
    for (const char* suffix : {"-wal", "-shm", "-leases", "-journal", ".damaged"}) {
      ::unlink(path(std::string("cache.db") + suffix).c_str());
    }
    write(path("cache.db"), files.database);
    if (!files.log.empty()) write(path("cache.db-wal"), files.log);
  }

  static void expect_right_or_none(const Result<std::optional<Artifact>>& found, const char* text) {
    if (found && *found) {
      EXPECT_EQ(**found, example_artifact(text));
    }
  }

  void look(const char* name, Store::Mode mode) {
    const auto no_log = [](LogLevel, std::string_view) {};
    auto store = Store::open(path(name), mode, no_log);
    if (!store) return;
    for (const char* text : {"old", "logged"}) expect_right_or_none(store->find(example_key(text)), text);
  }

  LayersOptions options(std::vector<std::string>& warnings) {
    LayersOptions result;
    result.user_cache = path("cache.db");
    result.log = [&warnings](LogLevel, std::string_view text) { warnings.emplace_back(text); };
    return result;
  }

  // A program that asks, and compiles where it has to. Gives its warnings.
  std::vector<std::string> run_once(int* compiled) {
    std::vector<std::string> warnings;
    {
      Layers layers(options(warnings));
      for (const char* text : {"old", "logged"}) {
        if (const auto hit = layers.find(example_key(text))) {
          EXPECT_EQ(*hit->artifact, example_artifact(text));
        } else {
          layers.insert(example_key(text), example_artifact(text));
          ++*compiled;
        }
        EXPECT_TRUE(layers.find(example_key(text)));
      }
    }
    EXPECT_THAT(warnings, SizeIs(testing::Le(1)));
    return warnings;
  }

  // The same program several times: what was hit before the damage was found may be lost with it. In the end, nothing
  // is compiled again, unless the cache cannot be used. Gives the warnings of the first time.
  std::vector<std::string> run_program(bool can_be_used) {
    int compiled = 0;
    const auto warnings = run_once(&compiled);
    if (!can_be_used) return warnings;
    run_once(&compiled);
    compiled = 0;
    EXPECT_THAT(run_once(&compiled), IsEmpty());
    EXPECT_EQ(compiled, 0) << (warnings.empty() ? "no warning" : warnings.front());
    return warnings;
  }

  Files killed_;
  Files closed_;
};

TEST_F(Damage, ABundleCutAtAnyByteGivesNothingWrong) {
  make_bundle("app.cudahot", example_key("old"), example_artifact("old"));
  const std::string whole = base::read_file(path("app.cudahot")).value();
  for (std::size_t size = whole.size(); size-- > 0;) {
    if (size % kCutStep != 0 || !matters(whole, size)) continue;
    ASSERT_EQ(::truncate(path("app.cudahot").c_str(), static_cast<off_t>(size)), 0);
    look("app.cudahot", Store::Mode::read_only);
    ASSERT_FALSE(HasFailure()) << size;
  }
}

TEST_F(Damage, ABundleOfWhichAPageIsZeroOrABitIsFlippedGivesNothingWrongAndIsNotChanged) {
  make_bundle("app.cudahot", example_key("old"), example_artifact("old"));
  const std::string whole = base::read_file(path("app.cudahot")).value();
  std::mt19937 random(20'240'501);
  for (int flip = 0; flip < kFlips; ++flip) {
    std::string damaged = whole;
    const std::size_t position = random() % damaged.size();
    if (static_cast<std::size_t>(flip) * kPage < damaged.size()) {
      damaged.replace(static_cast<std::size_t>(flip) * kPage, kPage, kPage, '\0');
    } else {
      damaged[position] = static_cast<char>(damaged[position] ^ (1 << random() % 8));
    }
    write(path("app.cudahot"), damaged);
    look("app.cudahot", Store::Mode::read_only);
    ASSERT_TRUE(base::read_file(path("app.cudahot")).value() == damaged);
    ASSERT_FALSE(HasFailure()) << "flip " << flip << " at " << position;
  }
}

TEST_F(Damage, ACacheCutAtAnyByteGivesNothingWrongAndIsStartedAnew) {
  std::size_t cuts = 0;
  for (const Files* files : {&closed_, &killed_}) {
    for (std::size_t size = 0; size < files->database.size(); size += kCutStep) {
      if (!matters(files->database, size)) continue;
      SCOPED_TRACE(fmt::format("{} of {} bytes, log of {}", size, files->database.size(), files->log.size()));
      const Files cut{files->database.substr(0, size), files->log};
      place(cut);
      look("cache.db", Store::Mode::read_write);
      if (++cuts % kWholeWay == 1) {
        place(cut);
        run_program(size == 0 || size >= 100);
      }
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST_F(Damage, ALogCutAtAnyByteLosesNoMoreThanItHas) {
  // Of a frame that is cut nothing is read; so what matters is around its beginning and its end.
  constexpr std::size_t kHeader = 32;
  constexpr std::size_t kFrame = 24 + kPage;
  for (std::size_t size = 1; size < killed_.log.size(); ++size) {
    const std::size_t in_frame = size < kHeader ? 0 : (size - kHeader) % kFrame;
    if (in_frame > 30 && in_frame < kFrame - 2 && size % 97 != 0) continue;
    SCOPED_TRACE(fmt::format("{} of {} bytes", size, killed_.log.size()));
    place({killed_.database, killed_.log.substr(0, size)});
    auto store = Store::open(path("cache.db"), Store::Mode::read_write);
    ASSERT_TRUE(store) << store.error().message;
    EXPECT_EQ(store->find(example_key("old")).value(), example_artifact("old"));
    expect_right_or_none(store->find(example_key("logged")), "logged");
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(Damage, APageOfZerosGivesNothingWrongAndTheCacheIsStartedAnew) {
  for (const Files* files : {&closed_, &killed_}) {
    for (std::size_t page = 0; page < files->database.size(); page += kPage) {
      SCOPED_TRACE(fmt::format("page {}", page / kPage + 1));
      Files damaged = *files;
      damaged.database.replace(page, kPage, kPage, '\0');
      place(damaged);
      look("cache.db", Store::Mode::read_write);
      place(damaged);
      run_program(page != 0);
      ASSERT_FALSE(HasFailure());
    }
  }
}

TEST_F(Damage, ABitFlippedAnywhereGivesNothingWrongAndWhatIsDamagedIsReplaced) {
  const char* const count = std::getenv("CUDAHOT_TEST_FLIPS");
  const int flips = count != nullptr ? std::atoi(count) : kFlips;
  constexpr unsigned kSeed = 20'240'502;
  std::mt19937 random(kSeed);
  for (int flip = 0; flip < flips; ++flip) {
    Files damaged = flip % 2 == 0 ? closed_ : killed_;
    const bool in_log = flip % 4 == 3;
    std::string& file = in_log ? damaged.log : damaged.database;
    const std::size_t position = random() % file.size();
    const unsigned bit = random() % 8;
    SCOPED_TRACE(fmt::format("seed {}, flip {}: bit {} of byte {} of the {}", kSeed, flip, bit, position,
                             in_log ? "log" : "database"));
    file[position] = static_cast<char>(file[position] ^ (1 << bit));
    place(damaged);
    const auto warnings = run_program(false);
    // What a flip can make of a cache that a program must not touch.
    const bool may_be_left = !in_log && (says_what_it_is(position) || position == 18);
    const bool newer = !warnings.empty() && warnings.front().find("newer cudahot") != std::string::npos;
    place(damaged);
    run_program(!may_be_left && !newer);
    ASSERT_FALSE(HasFailure());
  }
}

TEST_F(Damage, ADamagedCacheIsKeptBesideTheNewOne) {
  Files damaged = closed_;
  damaged.database.replace(kPage, damaged.database.size() - kPage, damaged.database.size() - kPage, '\xee');
  for (int time = 0; time < 2; ++time) {
    damaged.database[kPage] = static_cast<char>(time);
    write(path("cache.db"), damaged.database);
    const auto warnings = run_program(true);
    ASSERT_THAT(warnings, SizeIs(1));
    EXPECT_THAT(warnings.front(), testing::AllOf(HasSubstr("cache.db'"), HasSubstr("damaged"), HasSubstr("anew"),
                                                 HasSubstr("cache.db.damaged'")));
    EXPECT_TRUE(base::read_file(path("cache.db.damaged")).value() == damaged.database) << "the last one is kept";
    EXPECT_THAT(open("cache.db", Store::Mode::inspect).verify().value(), IsEmpty());
  }
}

TEST_F(Damage, WhatDoesNotSayThatItIsOursIsLeftAsItIs) {
  std::string other = closed_.database;
  other[70] = 'x';
  std::string no_database = closed_.database;
  no_database[0] = 'x';
  for (const std::string& content : {std::string(100'000, '\0'), closed_.database.substr(0, 60), other, no_database}) {
    place({content, ""});
    const auto warnings = run_program(false);
    ASSERT_THAT(warnings, SizeIs(1));
    EXPECT_THAT(warnings.front(), HasSubstr("name another file"));
    EXPECT_TRUE(base::read_file(path("cache.db")).value() == content);
    EXPECT_FALSE(std::filesystem::exists(path("cache.db.damaged")));
  }
}

}  // namespace
}  // namespace cudahot::cache
