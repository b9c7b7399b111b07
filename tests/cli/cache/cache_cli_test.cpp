// cudahot-cache through its real binary.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "cache/sqlite.hpp"
#include "lib/base/processes.hpp"
#include "tests/unit/cache/samples.hpp"

namespace cudahot::cache {
namespace {

using base::ProcessOutcome;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

std::string program() {
  const char* folder = std::getenv("CUDAHOT_TEST_BIN");
  return std::string(folder != nullptr ? folder : "build/bin") + "/cudahot-cache";
}

class CacheCli : public CacheTest {
 protected:
  // Three kernels and a library: "alpha" (sm_90a, quick), "beta" (sm_90, full), "gamma" (sm_75).
  void SetUp() override {
    Store store = open("cache.db", Store::Mode::read_write);
    Artifact artifact = example_artifact();
    artifact.name = "alpha";
    artifact.blob = "1";
    ASSERT_TRUE(store.insert(example_key("alpha"), artifact));
    artifact.name = "beta";
    artifact.arch = {90};
    artifact.tier = region::Tier::full;
    artifact.blob = std::string(6000, 'b');
    artifact.kernels = {{"beta", 255, 49152, 0, 0, 0, {}}};
    ASSERT_TRUE(store.insert(example_key("beta"), artifact));
    artifact.name = "gamma";
    artifact.arch = {75};
    artifact.blob = "333";
    artifact.kernels = {{"gamma", 7, 0, 0, 0, 0, {}}};
    ASSERT_TRUE(store.insert(example_key("gamma"), artifact));
    Artifact library;
    library.kind = ArtifactKind::library_ltoir;
    library.name = "helper library";
    library.arch = {75};
    ASSERT_TRUE(store.insert(example_key("library"), library));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(store.find(example_key("beta")).value());
  }

  ProcessOutcome run(std::vector<std::string> arguments) {
    base::ProcessRequest request;
    request.arguments = {program()};
    request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
    request.extra_environment = {"CUDAHOT_CACHE=" + path("cache.db").string()};
    const auto outcome = base::run_process(request);
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? *outcome : ProcessOutcome{};
  }

  json run_json(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const auto outcome = run(std::move(arguments));
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out);
  }

  std::vector<std::string> names(std::vector<std::string> arguments) {
    std::vector<std::string> result;
    const json document = run_json(std::move(arguments));
    for (const auto& entry : document.at("entries")) result.push_back(entry.at("name"));
    return result;
  }

  static std::string key(const char* text) { return base::to_hex(example_key(text).digest); }
};

TEST_F(CacheCli, LsPrintsOneLineForEachEntry) {
  const auto outcome = run({"ls", "--sort", "name"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
  std::vector<std::string> lines;
  std::istringstream stream(outcome.out);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  ASSERT_THAT(lines, SizeIs(5));
  EXPECT_THAT(lines[0], testing::ContainsRegex("KEY +NAME +REGION +ARCH +TIER +SIZE +REGS +SHARED +AGE +HITS"));
  EXPECT_THAT(lines[1], testing::ContainsRegex("alpha +shade +sm_90a +quick +1 B +40 +1024 B +[0-9]+ s +0$"));
  EXPECT_THAT(lines[2], testing::ContainsRegex("beta +shade +sm_90 +full +6.0 kB +255 +49152 B +[0-9]+ s +3$"));
  EXPECT_THAT(lines[2], StartsWith(key("beta").substr(0, 12)));
  EXPECT_THAT(lines[4], testing::ContainsRegex("helper library \\(ltoir\\) +- +sm_75 +- +0 B +- +- "));
}

TEST_F(CacheCli, LsAsJsonHasEveryFigure) {
  const json entries = run_json({"ls", "--name", "beta"}).at("entries");
  ASSERT_EQ(entries.size(), 1u);
  const json& entry = entries[0];
  EXPECT_EQ(entry.at("key"), key("beta"));
  EXPECT_EQ(entry.at("kind"), "cubin");
  EXPECT_EQ(entry.at("regions"), "shade");
  EXPECT_EQ(entry.at("source"), example_artifact().source);
  EXPECT_EQ(entry.at("architecture"), "sm_90");
  EXPECT_EQ(entry.at("tier"), "full");
  EXPECT_EQ(entry.at("bytes"), 6000);
  EXPECT_EQ(entry.at("registers"), 255);
  EXPECT_EQ(entry.at("static_shared_bytes"), 49152);
  EXPECT_EQ(entry.at("toolkit_version"), "13.0.88");
  EXPECT_EQ(entry.at("hits"), 3);
  EXPECT_GT(entry.at("created_unix"), 0);
  EXPECT_GT(entry.at("last_used_unix"), 0);
}

TEST_F(CacheCli, LsFilters) {
  EXPECT_THAT(names({"ls", "--arch", "90"}), ElementsAre("beta"));
  EXPECT_THAT(names({"ls", "--arch", "sm_90a,75", "--sort", "name"}), ElementsAre("alpha", "gamma", "helper library"));
  EXPECT_THAT(names({"ls", "--arch", "75", "--arch", "90", "--name", "gam"}), ElementsAre("gamma"));
  EXPECT_THAT(names({"ls", "--name", "nothing has this"}), IsEmpty());
}

TEST_F(CacheCli, LsSorts) {
  EXPECT_THAT(names({"ls", "--sort", "size"}), ElementsAre("beta", "gamma", "alpha", "helper library"));
  EXPECT_THAT(names({"ls", "--sort", "regs"}), ElementsAre("beta", "alpha", "gamma", "helper library"));
  EXPECT_THAT(names({"ls", "--sort", "name", "--reverse"}), ElementsAre("helper library", "gamma", "beta", "alpha"));
  EXPECT_EQ(names({"ls", "--sort", "hits"}).front(), "beta");
  EXPECT_EQ(names({"ls", "--sort", "arch"}).back(), "alpha");
}

TEST_F(CacheCli, NamesThatAreNotUtf8StayJson) {
  Artifact artifact = example_artifact();
  artifact.source = "/src/\xff.cu";
  ASSERT_TRUE(open("cache.db", Store::Mode::read_write).insert(example_key("latin"), artifact));
  EXPECT_EQ(run_json({"ls"}).at("entries").size(), 5u);
}

TEST_F(CacheCli, PathPrintsWhereTheCacheIsAlsoBeforeItExists) {
  EXPECT_EQ(run({"path"}).out, path("cache.db").string() + "\n");
  EXPECT_EQ(run_json({"path"}), (json{{"path", path("cache.db").string()}, {"exists", true}}));
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
  if (::geteuid() != 0) GTEST_SKIP() << "needs a second user, which only root can become";
  make_bundle("app.cudahot");
  std::filesystem::remove(path("cache.db"));
  ASSERT_EQ(::chmod(path("").c_str(), 0555), 0);
  ASSERT_EQ(::seteuid(65534), 0);
  const bool can_run = ::eaccess(program().c_str(), X_OK) == 0;
  const auto outcome = can_run ? run({"--db", path("app.cudahot"), "ls"}) : ProcessOutcome{};
  ASSERT_EQ(::seteuid(0), 0);
  if (!can_run) GTEST_SKIP() << "the build folder is closed to other users";
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("UpdateSurface"));
  EXPECT_THAT(files(), ElementsAre("app.cudahot"));
}

TEST_F(CacheCli, ShowTellsEverythingOfOneEntry) {
  const auto outcome = run({"show", key("alpha").substr(0, 8)});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const std::string& part :
       {key("alpha"), std::string("sm_90a"), std::string("kernel scene::shade"), std::string("_ZN5scene5shadeEv"),
        std::string("8 B at 0, 4 B at 8"), std::string("slice text"), example_artifact().source}) {
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
      {"0000000000000000", "no entry"}, {"xyz", "hexadecimal"}, {"", "hexadecimal"}};
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

TEST_F(CacheCli, VerifyNamesDamageAndChangesNothing) {
  EXPECT_EQ(run({"verify"}).exit_code, 0);
  {
    auto database = Database::open(path("cache.db"), Database::Access::read_write).value();
    ASSERT_TRUE(
        database.execute("UPDATE artifact_content SET blob = x'00' "
                         "WHERE id = (SELECT id FROM artifact WHERE name = 'beta')"));
  }
  for (int i = 0; i < 2; ++i) {
    const auto outcome = run({"verify"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.out, AllOf(HasSubstr(key("beta")), Not(HasSubstr(key("alpha")))));
    EXPECT_THAT(outcome.err, HasSubstr("1 problems"));
  }
  const auto as_json = run({"verify", "--json"});
  EXPECT_EQ(as_json.exit_code, 1);
  EXPECT_EQ(json::parse(as_json.out).at("problems").at(0).at("subject"), key("beta"));
  EXPECT_EQ(run({"show", key("beta")}).exit_code, 1);
  EXPECT_EQ(run({"dump", key("beta")}).exit_code, 1);
}

TEST_F(CacheCli, StatsAddUp) {
  const json stats = run_json({"stats"});
  EXPECT_EQ(stats.at("entries"), 4);
  EXPECT_EQ(stats.at("bytes"), 6004);
  EXPECT_EQ(stats.at("hits"), 3);
  EXPECT_EQ(stats.at("slices"), 0);
  EXPECT_EQ(stats.at("architectures").at("sm_75").at("entries"), 2);
  EXPECT_GE(stats.at("file_bytes"), 6004);
  EXPECT_THAT(run({"stats"}).out, testing::ContainsRegex("all +4 +6.0 kB +3"));
}

TEST_F(CacheCli, WrongUsageIsExitCode2AndMessagesGoToStandardError) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {}, {"no-such-command"}, {"show"}, {"ls", "--sort", "colour"}, {"ls", "--arch", "sm_x"}, {"--no-such"}}) {
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(outcome.err, StartsWith("cudahot-cache: "));
  }
  EXPECT_THAT(run({"no-such-command"}).err, HasSubstr("name a command: ls, show"));
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

TEST_F(CacheCli, HelpAndVersionAreFine) {
  EXPECT_THAT(run({"--help"}).out, AllOf(HasSubstr("ls"), HasSubstr("verify"), HasSubstr("Exit code")));
  EXPECT_EQ(run({"ls", "--help"}).exit_code, 0);
  EXPECT_THAT(run({"--version"}).out, StartsWith("cudahot-cache "));
}

TEST_F(CacheCli, ClosedOutputIsNoSuccess) {
  base::ProcessRequest request;
  request.arguments = {"sh", "-c", "\"$0\" ls > /dev/full", program()};
  request.extra_environment = {"CUDAHOT_CACHE=" + path("cache.db").string()};
  const auto outcome = base::run_process(request).value();
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write to standard output"));
}

}  // namespace
}  // namespace cudahot::cache
