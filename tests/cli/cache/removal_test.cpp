// cudahot-cache rm and gc.
#include "cache/lease.hpp"
#include "tests/cli/cache/cache_run.hpp"

namespace cudahot::cache {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

class RemovalCli : public CacheCli {
 protected:
  std::vector<std::string> left() { return names({"ls", "--sort", "name"}); }
};

TEST_F(RemovalCli, RmRemovesTheEntriesOfTheKeys) {
  const auto outcome = run({"rm", key("alpha").substr(0, 8), key("gamma")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(lines_of(outcome.out), ElementsAre(HasSubstr("alpha"), HasSubstr("gamma")));
  EXPECT_THAT(outcome.err, HasSubstr("2 entries removed"));
  EXPECT_THAT(left(), ElementsAre("beta", "helper library"));
}

TEST_F(RemovalCli, RmRemovesWhatMatches) {
  EXPECT_EQ(run({"rm", "--tier", "quick"}).exit_code, 0);
  EXPECT_THAT(left(), ElementsAre("beta", "gamma", "helper library"));
  EXPECT_EQ(run({"rm", "--source",
                 "sh\xc3\xa4"
                 "de.cu",
                 "--arch", "75"})
                .exit_code,
            0);
  EXPECT_THAT(left(), ElementsAre("beta", "helper library"));
  EXPECT_EQ(run({"rm", "--older", "1h"}).exit_code, 0);
  EXPECT_THAT(left(), SizeIs(2));
  EXPECT_EQ(run({"rm", "--all"}).exit_code, 0);
  EXPECT_THAT(left(), IsEmpty());
}

TEST_F(RemovalCli, RmWithoutKeyOrFilterIsRefused) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"rm"}, {"rm", "--all", "--tier", "full"}, {"rm", "00", "--tier", "full"}}) {
    EXPECT_EQ(run(arguments).exit_code, 2) << testing::PrintToString(arguments);
  }
  EXPECT_THAT(left(), SizeIs(4));
}

TEST_F(RemovalCli, DryRunsRemoveNothing) {
  const auto outcome = run({"rm", "--all", "--dry-run"});
  EXPECT_THAT(lines_of(outcome.out), SizeIs(4));
  EXPECT_THAT(outcome.err, HasSubstr("4 entries of about"));
  const json plan = run_json({"gc", "--max-size", "1", "--dry-run"});
  EXPECT_EQ(plan.at("entries").size(), 4u);
  EXPECT_EQ(plan.at("removed"), 0);
  EXPECT_THAT(left(), SizeIs(4));
}

TEST_F(RemovalCli, TheFileIsShorterAfterwards) {
  for (const std::string name : {"one", "two"}) put(name, 0, 0, example_artifact(std::string(500'000, 'x')));
  const auto before = run_json({"stats"}).at("file_bytes").get<std::uint64_t>();
  const json removed = run_json({"rm", "--all"});
  EXPECT_EQ(removed.at("removed"), 6);
  EXPECT_GT(removed.at("freed_bytes"), 900'000);
  const json after = run_json({"stats"});
  EXPECT_LT(after.at("file_bytes").get<std::uint64_t>(), before - 900'000);
  EXPECT_EQ(after.at("free_bytes"), 0);
}

TEST_F(RemovalCli, GcRemovesTheLeastRecentlyUsedUntilTheRestFits) {
  std::filesystem::remove(path("cache.db"));
  const Artifact large = example_artifact(std::string(100'000, 'x'));
  put("unused for long", 9000, 8000, large);
  put("made and not used", 5000, 0, large);
  put("used now", 9000, 10, large);
  const auto outcome = run({"gc", "--max-size", "250kB"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(lines_of(outcome.out), ElementsAre(HasSubstr("unused for long")));
  EXPECT_THAT(left(), ElementsAre("made and not used", "used now"));
  EXPECT_EQ(run({"gc", "--max-age", "1h"}).exit_code, 0);
  EXPECT_THAT(left(), ElementsAre("used now"));
  EXPECT_THAT(run({"gc"}).err, HasSubstr("nothing is to be removed")) << "it is far below the usual bound";
}

TEST_F(RemovalCli, GcHasItsBoundsFromTheEnvironment) {
  const auto outcome = run_shell("CUDAHOT_CACHE_SIZE=1kB \"$0\" gc");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(left(), IsEmpty());
  const auto refused = run_shell("CUDAHOT_CACHE_SIZE=much \"$0\" gc");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("CUDAHOT_CACHE_SIZE: 'much' is no size"));
}

TEST_F(RemovalCli, ZeroIsNoBoundOnTheCommandLineAsInTheEnvironment) {
  put("old", 10 * 24 * 3600, 0);
  for (const char* script :
       {"\"$0\" gc --max-size 0", "\"$0\" gc --max-age 0", "CUDAHOT_CACHE_SIZE=0 CUDAHOT_CACHE_AGE=0 \"$0\" gc",
        "CUDAHOT_CACHE_SIZE=1 \"$0\" gc --max-size 0", "CUDAHOT_CACHE_AGE=1h \"$0\" gc --max-age 0"}) {
    const auto outcome = run_shell(script);
    EXPECT_EQ(outcome.exit_code, 0) << script;
    EXPECT_THAT(outcome.err, HasSubstr("nothing is to be removed")) << script;
  }
  EXPECT_THAT(left(), SizeIs(5));
}

TEST_F(RemovalCli, GcKeepsWhatAProgramUses) {
  const auto leases = LeaseFile::open(lease_file_of(path("cache.db")), LeaseFile::Open::create).value();
  const UseMark mark = leases->mark_in_use(example_key("alpha").digest);
  const auto outcome = run({"gc", "--max-size", "1"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("1 entry is kept, since a program uses it"));
  EXPECT_THAT(left(), ElementsAre("alpha"));
}

TEST_F(RemovalCli, AmountsThatAreNoneAreUsageErrors) {
  EXPECT_THAT(run({"gc", "--max-size", "much"}).err, HasSubstr("'much' is no size"));
  EXPECT_THAT(run({"ls", "--older", "7 years"}).err, HasSubstr("'7 years' is no age"));
  EXPECT_EQ(run({"gc", "--max-age", "old"}).exit_code, 2);
}

TEST_F(RemovalCli, BundlesAreNotChanged) {
  make_bundle("app.cudahot");
  const auto before = base::read_file(path("app.cudahot")).value();
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"rm", "--all"}, {"gc", "--max-size", "1"}, {"import", path("cache.db")}}) {
    std::vector<std::string> arguments = {"--db", path("app.cudahot")};
    arguments.insert(arguments.end(), command.begin(), command.end());
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 2) << command[0];
    EXPECT_THAT(outcome.err, HasSubstr("is a bundle, which is not changed"));
  }
  EXPECT_EQ(base::read_file(path("app.cudahot")).value(), before);
}

TEST_F(RemovalCli, NothingIsToBeDoneAboutACacheThatDoesNotExist) {
  std::filesystem::remove(path("cache.db"));
  for (const char* command : {"gc", "rm"}) {
    const auto outcome = run({command, command == std::string("rm") ? "--all" : "--dry-run"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_THAT(outcome.err, HasSubstr("does not exist yet"));
  }
  EXPECT_THAT(files(), IsEmpty());
}

}  // namespace
}  // namespace cudahot::cache
