// cudahot-cache through its real binary: what is the same in every command; show, dump, stats and path.
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/paths.hpp"
#include "tests/cli/cache/cache_run.hpp"

namespace cudahot::cache {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

constexpr const char* kClosed = "the build folder is closed to other users";

TEST_F(CacheCli, PathPrintsWhereTheCacheIsAlsoBeforeItExists) {
  EXPECT_EQ(run({"path"}).out, path("cache.db").string() + "\n");
  EXPECT_THAT(run({"path"}).err, HasSubstr("it exists, on "));
  const json there = run_json({"path"});
  EXPECT_EQ(there.at("path"), path("cache.db").string());
  EXPECT_EQ(there.at("exists"), true);
  EXPECT_TRUE(there.at("file_system").is_string());
  std::filesystem::remove(path("cache.db"));
  const auto outcome = run({"path"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out, path("cache.db").string() + "\n");
  EXPECT_EQ(run_json({"path"}).at("exists"), false);
}

TEST_F(CacheCli, CacheThatDoesNotExistYetIsAnEmptyTable) {
  std::filesystem::remove(path("cache.db"));
  const auto outcome = run({"ls"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, StartsWith("KEY"));
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("does not exist yet"), HasSubstr(path("cache.db").string())));
  EXPECT_THAT(names({"ls"}), IsEmpty());
  EXPECT_EQ(run({"verify"}).exit_code, 0);
  EXPECT_EQ(run({"stats"}).exit_code, 0);
  EXPECT_THAT(files(), IsEmpty());
}

TEST_F(CacheCli, NamedDatabaseMustExist) {
  const auto outcome = run({"--db", path("none.cudahot"), "ls"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, HasSubstr("none.cudahot' does not exist"));
}

TEST_F(CacheCli, ReadsBundlesAndLeavesNothingBesideThem) {
  make_bundle("app.cudahot");
  const auto before = files();
  EXPECT_THAT(names({"--db", path("app.cudahot"), "ls"}), ElementsAre(example_artifact().name));
  EXPECT_EQ(run({"verify", "--db", path("app.cudahot")}).exit_code, 0);
  EXPECT_EQ(run_json({"stats", "--db", path("app.cudahot")}).at("slices"), 1);
  EXPECT_EQ(files(), before);
}

TEST_F(CacheCli, ReadsBundlesFromAWriteProtectedFolder) {
  make_bundle("app.cudahot");
  std::filesystem::remove(path("cache.db"));
  const auto outcome = run_write_protected({"--db", path("app.cudahot"), "ls"});
  if (!outcome) GTEST_SKIP() << kClosed;
  EXPECT_EQ(outcome->exit_code, 0) << outcome->err;
  EXPECT_THAT(outcome->out, HasSubstr("UpdateSurface"));
  EXPECT_THAT(files(), ElementsAre("app.cudahot"));
}

TEST_F(CacheCli, ShowTellsEverythingOfOneEntry) {
  const auto outcome = run({"show", key("alpha").substr(0, 8)});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const std::string& part :
       {key("alpha"), std::string("sm_90a"), std::string("kernel scene::shade"), std::string("_ZN5scene5shadeEv"),
        std::string("8 bytes at 0"), std::string("slice text"), example_artifact().source}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
  const json entry = run_json({"show", key("alpha")});
  EXPECT_EQ(entry.at("kernels").at(0).at("parameters").size(), 4u);
  EXPECT_EQ(entry.at("kernels").at(0).at("max_threads"), 256);
  EXPECT_EQ(entry.at("lowered_names").at(1).at("symbol"), "_ZN5scene5shadeEv");
  EXPECT_EQ(entry.at("preimage").at(0), (json{{"tag", "text"}, {"meaning", "slice text"}, {"value", "alpha"}}));
}

TEST_F(CacheCli, AmbiguousKeyListsTheCandidates) {
  {
    Store store = open("cache.db", Store::Mode::read_write);
    ASSERT_TRUE(store.insert({{0xabcdef0000000000, 1}, "p"}, example_artifact()));
    ASSERT_TRUE(store.insert({{0xabcdef1000000000, 2}, "p"}, example_artifact()));
  }
  const auto outcome = run({"show", "ABCDEF"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("give more digits"), HasSubstr("abcdef00000000000000000000000001"),
                                 HasSubstr("abcdef10000000000000000000000002")));
}

TEST_F(CacheCli, UnknownAndMalformedKeysAreUsageErrors) {
  const std::pair<const char*, const char*> cases[] = {
      {"0000000000000000", "no entry"}, {"xyz", "hexadecimal"}, {"", "KEY: its value is empty"}};
  for (const auto& [argument, part] : cases) {
    for (const char* command : {"show", "dump"}) {
      const auto outcome = run({command, argument});
      EXPECT_EQ(outcome.exit_code, 2) << argument;
      EXPECT_THAT(outcome.err, HasSubstr(part)) << argument;
    }
  }
}

TEST_F(CacheCli, DumpWritesTheCubin) {
  EXPECT_EQ(run({"dump", key("beta")}).out, std::string(6000, 'b'));
  const auto outcome = run({"dump", key("beta"), "-o", path("beta.cubin")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(base::read_file(path("beta.cubin")).value(), std::string(6000, 'b'));
  EXPECT_EQ(run_json({"dump", key("beta"), "-o", path("beta.cubin")}).at("bytes"), 6000);
  EXPECT_EQ(run({"dump", key("beta"), "-o", path("no/such/folder")}).exit_code, 3);
  EXPECT_EQ(run({"dump", key("beta"), "--json"}).exit_code, 2);
}

TEST_F(CacheCli, StatsAddUp) {
  const json stats = run_json({"stats"});
  EXPECT_EQ(stats.at("entries"), 4);
  EXPECT_EQ(stats.at("bytes"), 6004);
  EXPECT_EQ(stats.at("hits"), 3);
  EXPECT_EQ(stats.at("slices"), 0);
  EXPECT_EQ(stats.at("limit_bytes"), 1 << 30);
  EXPECT_EQ(stats.at("architectures").at("sm_75").at("entries"), 2);
  EXPECT_GE(stats.at("file_bytes"), 6004);
  EXPECT_EQ(stats.at("tiers").at("quick").at("entries"), 1);
  EXPECT_EQ(stats.at("tiers").at("helper libraries").at("entries"), 1);
  EXPECT_THAT(run({"stats"}).out, testing::ContainsRegex("all +4 +6.0 kB +[0-9.]+ kB +3"));
}

TEST_F(CacheCli, StatsTellOfMissesAndOfTheTimeThatHitsHaveSaved) {
  {
    Store store = open("cache.db", Store::Mode::read_write);
    const Provenance provenance{2'000'000, {}};
    ASSERT_TRUE(store.insert_missed(example_key("new"), example_artifact(), provenance, MissReason::headers));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(store.find(example_key("new")).value());
  }
  EXPECT_EQ(run_json({"stats"}).at("lifetime"),
            (json{{"hits", 6}, {"misses", 1}, {"miss_reasons", {{"headers", 1}}}, {"saved_us", 6'000'000}}));
  EXPECT_THAT(run({"stats"}).out, AllOf(HasSubstr("hits       6, 85.7 % of 7 lookups\n"),
                                        HasSubstr("time saved 6.0 s\n"), HasSubstr("  headers       1\n")));
}

TEST_F(CacheCli, WrongUsageIsExitCode2AndMessagesGoToStandardError) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {}, {"no-such-command"}, {"show"}, {"ls", "--sort", "colour"}, {"ls", "--arch", "sm_x"}, {"--no-such"}}) {
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, StartsWith("cudahot-cache: "));
  }
  EXPECT_THAT(run({"no-such-command"}).err, HasSubstr("name a command: ls, show, explain, stats"));
}

TEST_F(CacheCli, EmptyValuesAreUsageErrors) {
  const std::pair<std::vector<std::string>, const char*> cases[] = {{{"--db", "", "ls"}, "--db"},
                                                                    {{"ls", "--db", ""}, "--db"},
                                                                    {{"ls", "--name", ""}, "--name"},
                                                                    {{"ls", "--arch", ""}, "--arch"},
                                                                    {{"ls", "--columns", ""}, "--columns"},
                                                                    {{"rm", "--unused", ""}, "--unused"},
                                                                    {{"rm", ""}, "KEY"},
                                                                    {{"gc", "--max-size", ""}, "--max-size"},
                                                                    {{"explain", ""}, "FILE"},
                                                                    {{"export", ""}, "FILE"},
                                                                    {{"import", ""}, "FILE"},
                                                                    {{"dump", key("beta"), "-o", ""}, "--output"},
                                                                    {{"merge", "-o", "", "a"}, "--output"}};
  for (const auto& [arguments, option] : cases) {
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, HasSubstr(std::string(option) + ": its value is empty"));
  }
  EXPECT_EQ(run({"ls"}).exit_code, 0);
}

TEST_F(CacheCli, FilesThatAreNoCacheAreNamed) {
  ASSERT_TRUE(base::write_file_atomically(path("thesis.txt"), "this is a text and no database at all\n"));
  {
    auto other = Database::open(path("other.db"), Database::Access::create).value();
    ASSERT_TRUE(other.execute("CREATE TABLE bookmarks (url TEXT)"));
  }
  const std::pair<const char*, const char*> cases[] = {
      {"thesis.txt", "not a database"}, {"other.db", "another program's"}, {"", "folder"}};
  for (const auto& [file, part] : cases) {
    for (const char* command : {"ls", "verify", "stats"}) {
      const auto outcome = run({"--db", path(file), command});
      EXPECT_EQ(outcome.exit_code, 3) << file;
      EXPECT_THAT(outcome.out, IsEmpty());
      EXPECT_THAT(outcome.err, HasSubstr(part));
    }
  }
}

TEST_F(CacheCli, WhatIsNoFileIsNamedAtOnceAndLeftAlone) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0666), 0);
  ASSERT_EQ(::mknod(path("socket").c_str(), S_IFSOCK | 0666, 0), 0);
  ASSERT_TRUE(base::write_file_atomically(path("one.txt"), "1"));
  make_bundle("app.cudahot");
  for (const std::string file : {"pipe", "socket", "one.txt", "/dev/null", "/dev/zero"}) {
    const std::string database = file.starts_with('/') ? file : path(file).string();
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"ls"}, {"verify"}, {"verify", "--repair"}, {"gc", "--max-size", "1k"}, {"import", path("app.cudahot")}}) {
      std::vector<std::string> arguments = {"--db", database};
      arguments.insert(arguments.end(), command.begin(), command.end());
      const auto outcome = run(arguments);
      EXPECT_EQ(outcome.exit_code, 3) << testing::PrintToString(arguments);
      EXPECT_THAT(outcome.out, IsEmpty());
      EXPECT_THAT(lines_of(outcome.err), ElementsAre(AllOf(HasSubstr("cannot use '" + database), HasSubstr("name "))));
    }
  }
  EXPECT_EQ(base::read_file(path("one.txt")).value(), "1");
}

TEST_F(CacheCli, HelpAndVersionAreFine) {
  EXPECT_THAT(run({"--help"}).out, AllOf(HasSubstr("ls"), HasSubstr("verify"), HasSubstr("Exit code")));
  EXPECT_EQ(run({"ls", "--help"}).exit_code, 0);
  EXPECT_THAT(run({"--version"}).out, StartsWith("cudahot-cache "));
}

TEST_F(CacheCli, MessageThatNobodyReadsLeavesTheExitCode) {
  EXPECT_EQ(run_shell("\"$0\" --db no-such-file ls 2> /dev/full").exit_code, 3);
  EXPECT_EQ(run_shell("\"$0\" --db no-such-file ls 2>&-").exit_code, 3);
}

TEST_F(CacheCli, OutputThatCannotBeWrittenIsNoSuccess) {
  for (const char* arguments : {"ls", "ls --json", "ls --tree", "--help", "ls --help", "--version"}) {
    const auto full = run_shell(std::string("\"$0\" ") + arguments + " > /dev/full");
    EXPECT_EQ(full.exit_code, 3) << arguments;
    EXPECT_THAT(full.err, HasSubstr("cannot write to standard output")) << arguments;
  }
  // Standard output is a pipe that nobody reads any more.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  const auto closed = run_shell("\"$0\" ls >&" + std::to_string(ends[1]));
  ::close(ends[1]);
  EXPECT_EQ(closed.exit_code, 3);
  EXPECT_THAT(closed.err, HasSubstr("cannot write to standard output"));
}

TEST_F(CacheCli, LockedCacheIsNamedAsSuch) {
  auto other = Database::open(path("cache.db"), Database::Access::read_write).value();
  const auto transaction = Transaction::begin(other);
  ASSERT_TRUE(transaction);
  EXPECT_EQ(run({"ls"}).exit_code, 0) << "reading waits for nobody";
  const auto outcome = run({"rm", "--all"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("another process holds it; try again later"), HasSubstr("cache.db")));
}

TEST_F(CacheCli, WriteProtectedCacheCanBeReadAndSaysSoWhenItIsToBeChanged) {
  ASSERT_EQ(::chmod(path("cache.db").c_str(), 0444), 0);
  const auto shown = run_write_protected({"ls"});
  const auto removed = run_write_protected({"rm", "--all"});
  if (!shown || !removed) GTEST_SKIP() << kClosed;
  EXPECT_EQ(shown->exit_code, 0) << shown->err;
  EXPECT_EQ(lines_of(shown->out).size(), 5u);
  EXPECT_EQ(removed->exit_code, 3);
  EXPECT_THAT(removed->err, HasSubstr("check its permissions"));
}

TEST_F(CacheCli, NewerSchemasAreRefusedByVersion) {
  {
    auto database = Database::open(path("cache.db"), Database::Access::read_write).value();
    ASSERT_TRUE(database.execute("UPDATE meta SET value = 99"));
  }
  for (const char* command : {"ls", "verify", "stats"}) {
    const auto outcome = run({command});
    EXPECT_EQ(outcome.exit_code, 3) << command;
    EXPECT_THAT(outcome.err, HasSubstr("was written by a newer cudahot")) << command;
  }
  EXPECT_EQ(run({"verify", "--repair"}).exit_code, 3);
}

// What it would need of a driver, a toolkit or LLVM would be here, or would be looked for on PATH.
TEST_F(CacheCli, NeedsNothingButTheSystemsLibraries) {
  if (!base::find_program("ldd")) GTEST_SKIP() << "no ldd";
  const auto libraries = run_shell("ldd \"$0\"").out;
  EXPECT_THAT(libraries, HasSubstr("libc.so"));
  for (const char* foreign : {"cuda", "nvrtc", "nvJitLink", "LLVM", "clang"}) {
    EXPECT_THAT(libraries, Not(HasSubstr(foreign)));
  }
  EXPECT_EQ(run_shell("PATH=/nonexistent HOME=/nonexistent LD_LIBRARY_PATH= \"$0\" ls").exit_code, 0);
}

}  // namespace
}  // namespace cudahot::cache
