#include "lib/runtime/extractor.hpp"

#include <filesystem>

#include <gmock/gmock.h>

#include "lib/base/files.hpp"
#include "lib/region/manifest.hpp"
#include "tests/unit/runtime/workbench.hpp"

namespace cudahot::runtime {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A program in place of cudahot-extract: a shell script.
class ExtractorTest : public ::testing::Test {
 protected:
  ExtractorTest() : folder_(std::move(*base::TemporaryFolder::create("cudahot-extractor-test"))) {
    slice_ = testing::slice_of((folder_.path() / "shade.cu").string(), std::string(testing::kSource));
    slice_.extract_arguments = {"--arch", "sm_90", "--", "-DA=a b"};
    slice_.working_directory = folder_.path().string();
  }

  ExtractOutcome run(const std::string& script, const std::function<bool()>& cancelled = [] { return false; }) {
    const auto program = folder_.path() / "extract.sh";
    EXPECT_TRUE(base::write_file_atomically(program, "#!/bin/sh\n" + script));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return run_extractor(program, slice_, cancelled);
  }

  base::TemporaryFolder folder_;
  region::Slice slice_;
};

TEST_F(ExtractorTest, ReadsTheSliceThatTheProgramLeaves) {
  ASSERT_TRUE(base::write_file_atomically(folder_.path() / "made.json", region::to_manifest(slice_)));
  const auto outcome = run("cp made.json \"$2/shade.cu.json\"; printf 'x: /a/shade.cu /a/b\\\\ c.cuh\\n' > \"$4\"\n");
  ASSERT_TRUE(outcome.slice) << outcome.slice.error().message;
  EXPECT_EQ(*outcome.slice, slice_);
  EXPECT_THAT(outcome.dependencies, ElementsAre("/a/shade.cu", "/a/b c.cuh"));
}

TEST_F(ExtractorTest, PassesTheFileAndTheRecordedArguments) {
  const auto outcome = run("shift 4; for a in \"$@\"; do echo \"[$a]\" >&2; done; exit 3\n");
  ASSERT_FALSE(outcome.slice);
  EXPECT_THAT(outcome.slice.error().message,
              HasSubstr("[--json]\n[" + slice_.files[0].path + "]\n[--arch]\n[sm_90]\n[--]\n[-DA=a b]"));
  EXPECT_EQ(outcome.slice.error().code, ErrorCode::environment);
}

TEST_F(ExtractorTest, GivesTheDiagnosticsOfASourceAtFault) {
  const auto outcome = run(
      "echo '{\"diagnostics\":[{\"severity\":\"error\",\"id\":\"CH012\",\"file\":\"shade.cu\",\"line\":4,\"column\":2,"
      "\"text\":\"goto leaves the region\",\"hint\":\"do not\"}]}'; exit 1\n");
  ASSERT_FALSE(outcome.slice);
  EXPECT_EQ(outcome.slice.error().code, ErrorCode::source);
  ASSERT_THAT(outcome.slice.error().diagnostics, SizeIs(1));
  Diagnostic expected = testing::diagnostic_at("shade.cu", 4, 2, "goto leaves the region");
  expected.id = "CH012";
  expected.hint = "do not";
  EXPECT_EQ(outcome.slice.error().diagnostics[0], expected);
}

TEST_F(ExtractorTest, SaysThatTheRegionsAreGoneWhenThereIsNoSlice) {
  const auto outcome = run("exit 0\n");
  ASSERT_FALSE(outcome.slice);
  EXPECT_THAT(outcome.slice.error().message, HasSubstr("no longer has a region"));
}

TEST_F(ExtractorTest, GivesUpForNewerText) {
  const auto outcome = run("exec sleep 600\n", [] { return true; });
  ASSERT_FALSE(outcome.slice);
  EXPECT_EQ(outcome.slice.error().code, ErrorCode::busy);
}

TEST_F(ExtractorTest, SurvivesOutputThatIsNotWhatItExpects) {
  EXPECT_THAT(parse_extractor_output("not json\n{\"diagnostics\": 5}\n[1]\n{\"diagnostics\":[7,{\"text\":1}]}"),
              IsEmpty());
  EXPECT_THAT(parse_extractor_output("noise\n{\"diagnostics\":[{\"text\":\"t\"}]}\n"), SizeIs(1));
}

TEST(Depfile, IsReadWithContinuationsAndEscapes) {
  EXPECT_THAT(parse_depfile("out.json: /a.cu \\\n  /with\\ space.h /dol$$lar\n"),
              ElementsAre("/a.cu", "/with space.h", "/dol$lar"));
}

TEST(FindExtractor, SaysWhereItLooked) {
  const auto found = find_extractor(std::filesystem::path("/named/by/the/program"));
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, "/named/by/the/program");
}

}  // namespace
}  // namespace cudahot::runtime
