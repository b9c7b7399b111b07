// cudahot-cache ls: filters, order, columns, tree.
#include "tests/cli/cache/cache_run.hpp"

namespace cudahot::cache {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;
using testing::UnorderedElementsAre;

class ListCli : public CacheCli {};

TEST_F(ListCli, PrintsOneLineForEachEntry) {
  const auto outcome = run({"ls", "--sort", "name"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.err, IsEmpty());
  const auto lines = lines_of(outcome.out);
  ASSERT_THAT(lines, SizeIs(5));
  EXPECT_THAT(lines[0], ContainsRegex("KEY +NAME +REGION +ARCH +TIER +SIZE +REGS +SHARED +AGE +HITS"));
  EXPECT_THAT(lines[1], ContainsRegex("alpha +shade +sm_90a +quick +1 B +40 +1024 B +[0-9]+ s +0$"));
  EXPECT_THAT(lines[2], ContainsRegex("beta +shade +sm_90 +full +6.0 kB +255 +49152 B +[0-9]+ s +3$"));
  EXPECT_THAT(lines[2], StartsWith(key("beta").substr(0, 12)));
  EXPECT_THAT(lines[4], ContainsRegex("helper library \\(ltoir\\) +- +sm_75 +- +0 B +- +- "));
}

TEST_F(ListCli, JsonHasEveryFigure) {
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
  EXPECT_GT(entry.at("stored_bytes"), 6000);
  EXPECT_EQ(entry.at("registers"), 255);
  EXPECT_EQ(entry.at("static_shared_bytes"), 49152);
  EXPECT_EQ(entry.at("toolkit_version"), "13.0.88");
  EXPECT_EQ(entry.at("build_us"), nullptr);
  EXPECT_EQ(entry.at("hits"), 3);
  EXPECT_GT(entry.at("created_unix"), 0);
  EXPECT_GT(entry.at("last_used_unix"), 0);
}

TEST_F(ListCli, Filters) {
  Artifact other = example_artifact();
  other.source = "/home/user/other/shade.cu";
  other.regions = "blur, edge";
  put("delta", 0, 0, other);
  const std::pair<std::vector<std::string>, std::vector<std::string>> cases[] = {
      {{"--arch", "90"}, {"beta"}},
      {{"--arch", "sm_90a,75"}, {"alpha", "delta", "gamma", "helper library"}},
      {{"--arch", "75", "--arch", "90", "--name", "gam"}, {"gamma"}},
      {{"--name", "nothing has this"}, {}},
      {{"--tier", "quick"}, {"alpha", "delta"}},
      {{"--kind", "library"}, {"helper library"}},
      {{"--region", "edge"}, {"delta"}},
      {{"--region", "ed"}, {}},
      {{"--source", "/home/user/other/shade.cu"}, {"delta"}},
      {{"--source", "other/shade.cu"}, {"delta"}},
      {{"--source", "shade.cu", "--tier", "quick"}, {"delta"}},
      {{"--source", "ade.cu"}, {}}};
  for (const auto& [arguments, expected] : cases) {
    std::vector<std::string> all = {"ls", "--sort", "name"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(names(all), expected) << testing::PrintToString(arguments);
  }
}

TEST_F(ListCli, FiltersByAge) {
  std::filesystem::remove(path("cache.db"));
  put("young", 60, 0);
  put("old", 10 * 24 * 3600, 0);
  put("old but used", 10 * 24 * 3600, 60);
  EXPECT_THAT(names({"ls", "--newer", "2h"}), ElementsAre("young"));
  EXPECT_THAT(names({"ls", "--older", "7d"}), UnorderedElementsAre("old", "old but used"));
  EXPECT_THAT(names({"ls", "--unused", "7d"}), ElementsAre("old"));
  EXPECT_THAT(names({"ls", "--older", "1min", "--newer", "1w"}), ElementsAre("young"));
}

TEST_F(ListCli, Sorts) {
  EXPECT_THAT(names({"ls", "--sort", "size"}), ElementsAre("beta", "gamma", "alpha", "helper library"));
  EXPECT_THAT(names({"ls", "--sort", "regs"}), ElementsAre("beta", "alpha", "gamma", "helper library"));
  EXPECT_THAT(names({"ls", "--sort", "name", "--reverse"}), ElementsAre("helper library", "gamma", "beta", "alpha"));
  EXPECT_EQ(names({"ls", "--sort", "hits"}).front(), "beta");
  EXPECT_EQ(names({"ls", "--sort", "arch"}).back(), "alpha");
}

TEST_F(ListCli, LinesAreChosenAndSortedAlsoByWhatTheyDoNotShow) {
  std::filesystem::remove(path("cache.db"));
  Artifact other = example_artifact();
  other.source = "/home/user/another/shade.cu";
  put("first", 10 * 24 * 3600, 60);
  put("second", 10 * 24 * 3600, 0, other);
  const std::pair<std::vector<std::string>, std::vector<std::string>> cases[] = {
      {{"--source", "another/shade.cu"}, {"second"}},
      {{"--unused", "7d"}, {"second"}},
      {{"--sort", "source"}, {"second", "first"}},
      {{"--sort", "used"}, {"first", "second"}}};
  for (const auto& [arguments, expected] : cases) {
    std::vector<std::string> all = {"ls", "--columns", "name"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const auto lines = lines_of(run(all).out);
    EXPECT_EQ(std::vector<std::string>(lines.begin() + 1, lines.end()), expected) << testing::PrintToString(arguments);
  }
}

TEST_F(ListCli, TreeWithoutEntriesIsJsonToo) {
  EXPECT_EQ(run_json({"ls", "--tree", "--name", "nothing has this"}).at("kernels"), json::array());
  EXPECT_EQ(run_json({"ls", "--name", "nothing has this"}).at("entries"), json::array());
}

TEST_F(ListCli, ShowsTheColumnsThatAreAskedFor) {
  const auto outcome = run({"ls", "--columns", "full-key,source,used,build,stored,toolkit,kind", "--name", "alpha"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(lines_of(outcome.out)[0], ContainsRegex("FULL KEY +SOURCE +USED +BUILD +STORED +TOOLKIT +KIND$"));
  EXPECT_THAT(lines_of(outcome.out)[1], AllOf(StartsWith(key("alpha")), HasSubstr(example_artifact().source),
                                              ContainsRegex(" - +- +[0-9]+ B +13.0.88 +cubin$")));
  EXPECT_THAT(run({"ls", "--columns", "key,colour"}).err, HasSubstr("no column 'colour': there are key, full-key"));
}

TEST_F(ListCli, ExactSizesAreWithoutUnits) {
  EXPECT_THAT(run({"ls", "--columns", "size,shared", "--name", "beta", "--bytes"}).out, ContainsRegex("6000 +49152\n"));
}

TEST_F(ListCli, LimitTakesTheFirstOfTheOrder) {
  const auto outcome = run({"ls", "--sort", "size", "--limit", "1"});
  EXPECT_THAT(lines_of(outcome.out), ElementsAre(StartsWith("KEY"), HasSubstr("beta")));
  EXPECT_THAT(outcome.err, HasSubstr("1 of 4 entries"));
  EXPECT_EQ(run_json({"ls", "--limit", "1"}).at("matching"), 4);
  EXPECT_THAT(names({"ls", "--limit", "18446744073709551615"}), SizeIs(4));
}

TEST_F(ListCli, LimitIsANumberFromOneOn) {
  for (const char* limit : {"0", "-1", "18446744073709551616", "1.5", "few", "1 "}) {
    const auto outcome = run({"ls", "--limit", limit});
    EXPECT_EQ(outcome.exit_code, 2) << limit;
    EXPECT_THAT(outcome.err, HasSubstr("--limit: '" + std::string(limit) + "' is no number from 1 to "));
  }
}

TEST_F(ListCli, TreeHasEntriesBelowKernelsAndSources) {
  put("alpha, scene::mix<int, float>", 0, 0);
  const auto lines = lines_of(run({"ls", "--tree", "--tier", "quick", "--sort", "name"}).out);
  const std::string source = "  " + example_artifact().source;
  const std::string both = key("alpha, scene::mix<int, float>").substr(0, 12);
  EXPECT_THAT(lines, ElementsAre(ContainsRegex("^    KEY +ARCH +TIER"), "alpha", source,
                                 StartsWith("    " + key("alpha").substr(0, 12)), StartsWith("    " + both),
                                 "scene::mix<int, float>", source, StartsWith("    " + both)));
  const json kernels = run_json({"ls", "--tree", "--name", "beta"}).at("kernels");
  EXPECT_EQ(kernels.at(0).at("kernel"), "beta");
  EXPECT_EQ(kernels.at(0).at("sources").at(0).at("source"), example_artifact().source);
  EXPECT_EQ(kernels.at(0).at("sources").at(0).at("entries").at(0).at("key"), key("beta"));
}

TEST_F(ListCli, NamesThatAreNotUtf8StayJson) {
  Artifact artifact = example_artifact();
  artifact.source = "/src/\xff.cu";
  ASSERT_TRUE(open("cache.db", Store::Mode::read_write).insert(example_key("latin"), artifact));
  EXPECT_EQ(run_json({"ls"}).at("entries").size(), 5u);
}

}  // namespace
}  // namespace cudahot::cache
