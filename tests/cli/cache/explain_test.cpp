// cudahot-cache explain and show.
#include "tests/cli/cache/cache_run.hpp"

namespace cudahot::cache {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class ExplainCli : public CacheCli {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(path("src"));
    write("src/shade.cu", "// version 1\n");
    write("src/b.h", "#define GAIN 2\n");
  }

  void write(const std::string& file, const std::string& text) {
    ASSERT_TRUE(base::write_file_atomically(path(file), text));
  }

  static CacheKey key_of(const std::string& arch, int gain, const std::string& option = "-use_fast_math") {
    Preimage preimage;
    preimage.add("arch", arch);
    preimage.add("tier", "full");
    preimage.add("text", "#line 1 \"src/b.h\"\n#define GAIN " + std::to_string(gain) + "\n");
    preimage.add("optn", option);
    return make_key(preimage);
  }

  // What a program does: looks, and on a miss compiles.
  void look_up(const CacheKey& key, const std::string& file = "src/shade.cu") {
    Store store = open("cache.db", Store::Mode::read_write);
    if (store.find(key).value()) return;
    Artifact artifact = example_artifact();
    artifact.arch = {90};
    artifact.tier = region::Tier::full;
    artifact.source = path(file).string();
    artifact.name = "shade";
    const Provenance provenance{41'000,
                                {{"src/shade.cu", path("src/shade.cu"), "main", base::digest("// version 1\n")},
                                 {"src/b.h", path("src/b.h"), "user_header", base::digest("#define GAIN 2\n")}}};
    ASSERT_TRUE(store.insert_missed(key, artifact, provenance));
  }
};

TEST_F(ExplainCli, SaysWhatWasDifferentFromTheNearestEntry) {
  look_up(key_of("sm_90", 2));
  look_up(key_of("sm_90", 3, "-lineinfo"));
  const auto outcome = run({"explain", path("src/shade.cu")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, AllOf(HasSubstr(path("src/shade.cu").string() + "\n"), HasSubstr("sm_90 full  shade\n"),
                                 HasSubstr(": text; it was compiled and stored"),
                                 HasSubstr("nearest     " + base::to_hex(key_of("sm_90", 2).digest)),
                                 HasSubstr("    text         src/b.h:1: '#define GAIN 3' was '#define GAIN 2'\n"),
                                 HasSubstr("    options      -lineinfo were -use_fast_math\n")));
  const json lookups = run_json({"explain", path("src/shade.cu")}).at("sources").at(0).at("lookups");
  EXPECT_EQ(lookups.at(0).at("miss").at("key"), base::to_hex(key_of("sm_90", 3, "-lineinfo").digest));
  EXPECT_EQ(lookups.at(0).at("miss").at("reason"), "text");
  EXPECT_EQ(lookups.at(0).at("miss").at("stored_since"), true);
  EXPECT_EQ(lookups.at(0).at("miss").at("differences").size(), 2u);
  EXPECT_EQ(lookups.at(0).at("entries").size(), 2u);
}

TEST_F(ExplainCli, SaysThatAMissWasTheFirstLookup) {
  look_up(key_of("sm_90", 2));
  EXPECT_THAT(run({"explain", path("src/shade.cu")}).out, AllOf(HasSubstr(": first;"), Not(HasSubstr("nearest"))));
}

TEST_F(ExplainCli, SaysThatLookupsHitWhereNoneMissed) {
  put("shade", 100, 10);
  EXPECT_THAT(run({"explain", example_artifact().source}).out,
              AllOf(HasSubstr("no lookup missed"), HasSubstr("made 1 min ago, last used 1"), HasSubstr("1 hit\n")));
}

TEST_F(ExplainCli, NamesFilesThatHaveChangedSince) {
  look_up(key_of("sm_90", 2));
  EXPECT_THAT(run({"explain", path("src/shade.cu")}).out, Not(HasSubstr("changed")));
  write("src/b.h", "#define GAIN 9\n");
  std::filesystem::remove(path("src/shade.cu"));
  const std::string text = run({"explain", path("src/shade.cu")}).out;
  EXPECT_THAT(text, HasSubstr("changed     " + path("src/b.h").string() + ", since"));
  EXPECT_THAT(text, HasSubstr("changed     " + path("src/shade.cu").string() + " (gone), since"));
}

TEST_F(ExplainCli, TakesTheFileAsItIsWritten) {
  look_up(key_of("sm_90", 2));
  std::filesystem::create_symlink("src", path("link"));
  for (const char* file : {"src/shade.cu", "./src/../src/shade.cu", "link/shade.cu", "shade.cu"}) {
    const auto outcome = run_shell(std::string("\"$0\" explain ") + file);
    EXPECT_EQ(outcome.exit_code, 0) << file << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr(path("src/shade.cu").string())) << file;
  }
}

TEST_F(ExplainCli, CopyThatSharesAnEntryIsKnownByItsContent) {
  look_up(key_of("sm_90", 2));
  std::filesystem::create_directories(path("copy"));
  write("copy/shade.cu", "// version 1\n");
  for (const char* script : {"\"$0\" explain copy/shade.cu", "cd copy && \"$0\" explain shade.cu"}) {
    const auto outcome = run_shell(script);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, AllOf(HasSubstr(path("src/shade.cu").string() + "\n  has the content of "),
                                   HasSubstr("stored      " + base::to_hex(key_of("sm_90", 2).digest).substr(0, 12))));
  }
  write("copy/shade.cu", "// version 2\n");
  EXPECT_EQ(run({"explain", path("copy/shade.cu")}).exit_code, 1);
}

TEST_F(ExplainCli, EntriesThatACopyHasMadeAreNamed) {
  std::filesystem::create_directories(path("copy"));
  write("copy/shade.cu", "// version 1\n");
  look_up(key_of("sm_90", 2));
  look_up(key_of("sm_90", 3), "copy/shade.cu");
  EXPECT_THAT(run({"explain", path("copy/shade.cu")}).out,
              AllOf(HasSubstr(base::to_hex(key_of("sm_90", 2).digest).substr(0, 12)),
                    HasSubstr(" ago, last used never, 0 hits, of " + path("src/shade.cu").string() + "\n")));
}

TEST_F(ExplainCli, LastMissOfEachArchitectureIsItsLast) {
  for (const int gain : {2, 3, 4, 3}) look_up(key_of("sm_90", gain));
  const json lookups = run_json({"explain", path("src/shade.cu")}).at("sources").at(0).at("lookups");
  EXPECT_EQ(lookups.at(0).at("miss").at("key"), base::to_hex(key_of("sm_90", 4).digest));
  EXPECT_EQ(lookups.at(0).at("miss").at("hit_since"), false) << "only another key was found again";
}

TEST_F(ExplainCli, SeveralFilesThatItMayBeAreListed) {
  look_up(key_of("sm_90", 2));
  look_up(key_of("sm_90", 3), "other/shade.cu");
  const auto outcome = run({"explain", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("may be any of these"), HasSubstr(path("src/shade.cu").string()),
                                 HasSubstr(path("other/shade.cu").string())));
}

TEST_F(ExplainCli, FilesThatTheCacheDoesNotKnowAreAProblem) {
  look_up(key_of("sm_90", 2));
  const auto outcome = run({"explain", "other.cu"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, AllOf(HasSubstr("knows nothing of 'other.cu'"), HasSubstr(path("src/shade.cu").string())));
}

TEST_F(ExplainCli, ShowNamesTheFilesAndTheBuildTime) {
  look_up(key_of("sm_90", 2));
  const std::string key = base::to_hex(key_of("sm_90", 2).digest);
  const auto outcome = run({"show", key});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out,
              AllOf(HasSubstr("build time      41 ms"), HasSubstr("stored in       " + path("cache.db").string()),
                    HasSubstr(base::to_hex(base::digest("#define GAIN 2\n")) + "  user_header  src/b.h")));
  EXPECT_EQ(run_json({"show", key}).at("files").at(1).at("path"), path("src/b.h").string());
}

TEST_F(ExplainCli, ShowPrintsLongFieldsWholeWhenAsked) {
  look_up(key_of("sm_90", 2));
  const std::string key = base::to_hex(key_of("sm_90", 2).digest);
  EXPECT_THAT(run({"show", key}).out, AllOf(HasSubstr("bytes, digest"), Not(HasSubstr("#define"))));
  EXPECT_THAT(run({"show", key, "--full"}).out, HasSubstr("  | #define GAIN 2\n"));
}

TEST_F(ExplainCli, ShowHasBothNamesOfAKernel) {
  look_up(key_of("sm_90", 2));
  EXPECT_THAT(run({"show", base::to_hex(key_of("sm_90", 2).digest)}).out,
              AllOf(HasSubstr("kernel scene::shade\n"), HasSubstr("  symbol        _ZN5scene5shadeEv\n"),
                    HasSubstr("  signature     scene::shade()\n"), HasSubstr("  constant      580 bytes\n"),
                    HasSubstr("  parameter 1   4 bytes at 8\n")));
}

}  // namespace
}  // namespace cudahot::cache
