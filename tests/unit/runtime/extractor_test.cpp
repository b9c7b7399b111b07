#include "lib/runtime/extractor.hpp"

#include <csignal>
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
    slice_.extract_arguments = {"--arch", "sm_90,sm_100a", "--", "-DA=a b"};
    slice_.working_directory = folder_.path().string();
  }

  ExtractOutcome run(
      const std::string& script, const std::function<bool()>& cancelled = [] { return false; },
      std::optional<std::filesystem::path> toolkit = "/opt/cuda") {
    const auto program = folder_.path() / "extract.sh";
    EXPECT_TRUE(base::write_file_atomically(program, "#!/bin/sh\n" + script));
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    return run_extractor({program, std::move(toolkit)}, slice_, cancelled);
  }

  base::TemporaryFolder folder_;
  region::Slice slice_;
};

TEST_F(ExtractorTest, ReadsTheSliceThatTheProgramLeaves) {
  ASSERT_TRUE(base::write_file_atomically(folder_.path() / "made.json", region::to_manifest(slice_)));
  const auto outcome =
      run("cp made.json \"$2/shade.slice.json\"\n"
          "echo '{\"files\":[{\"dependencies\":[\"/a/shade.cu\",\"/a/b c.cuh\"]}]}'\n");
  ASSERT_TRUE(outcome.slice) << outcome.slice.error().message;
  EXPECT_EQ(*outcome.slice, slice_);
  EXPECT_THAT(outcome.dependencies, ElementsAre("/a/shade.cu", "/a/b c.cuh"));
}

TEST_F(ExtractorTest, NamesTheFileAsTheExtractionDidWhoseCodeSaysItsName) {
  const auto named = [&](const std::string& virtual_name) {
    slice_.files[0].virtual_name = virtual_name;
    return run("echo \"<$4>\" >&2; exit 3\n").slice.error().message;
  };
  EXPECT_THAT(named("./shade.cu"), HasSubstr("<./shade.cu>"));
  EXPECT_THAT(named("0/shade.cu"), HasSubstr("<" + slice_.files[0].path + ">"));
}

TEST_F(ExtractorTest, PassesTheFileAndWhatTheSliceRecorded) {
  slice_.files[0].virtual_name = "0/shade.cu";
  const auto outcome =
      run("shift 2; echo \"$CUDAHOT_TOOLKIT $PWD\" >&2; for a in \"$@\"; do echo \"[$a]\" >&2; done; exit 3\n");
  ASSERT_FALSE(outcome.slice);
  EXPECT_THAT(outcome.slice.error().message,
              HasSubstr("/opt/cuda " + folder_.path().string() + "\n[--json]\n[" + slice_.files[0].path +
                        "]\n[--arch]\n[sm_90,sm_100a]\n[--]\n[-DA=a b]"));
  EXPECT_EQ(outcome.slice.error().code, ErrorCode::environment);
}

TEST_F(ExtractorTest, LeavesOutARecordedToolkitForThatOfTheProgram) {
  slice_.extract_arguments = {"--arch", "90", "--toolkit", folder_.path().string(), "--", "--toolkit"};
  const auto outcome = run("echo \"$CUDAHOT_TOOLKIT\" >&2; shift 4; echo \"$@\" >&2; exit 3\n");
  ASSERT_FALSE(outcome.slice);
  EXPECT_THAT(outcome.slice.error().message, HasSubstr("/opt/cuda\n--arch 90 -- --toolkit"));
}

TEST_F(ExtractorTest, LeavesOutARecordedToolkitThatIsNotOnThisMachine) {
  const auto arguments_with = [&](const std::string& toolkit) {
    slice_.extract_arguments = {"--toolkit", toolkit, "--arch", "90"};
    return run("shift 4; echo \"<$*>\" >&2; exit 3\n", {}, std::nullopt).slice.error().message;
  };
  EXPECT_THAT(arguments_with("/of/the/build"), HasSubstr("<--arch 90>"));
  EXPECT_THAT(arguments_with(folder_.path().string()),
              HasSubstr("<--toolkit " + folder_.path().string() + " --arch 90>"));
}

TEST_F(ExtractorTest, GivesTheDiagnosticsOfASourceAtFaultAndWhatWasRead) {
  const auto outcome =
      run("echo '{\"diagnostics\":[{\"severity\":\"error\",\"id\":\"CH012\",\"file\":\"shade.cu\",\"line\":4,"
          "\"column\":2,\"text\":\"goto leaves the region\",\"hint\":\"do "
          "not\"}],\"files\":[{\"dependencies\":[\"/a.h\"],"
          "\"lookups\":[{\"path\":\"/b.h\",\"found\":false},7,{\"path\":\"/c.h\"}]}]}'; exit "
          "1\n");
  ASSERT_FALSE(outcome.slice);
  EXPECT_EQ(outcome.slice.error().code, ErrorCode::source);
  ASSERT_THAT(outcome.slice.error().diagnostics, SizeIs(1));
  Diagnostic expected = testing::diagnostic_at((folder_.path() / "shade.cu").string(), 4, 2, "goto leaves the region");
  expected.id = "CH012";
  expected.hint = "do not";
  EXPECT_EQ(outcome.slice.error().diagnostics[0], expected);
  EXPECT_THAT(outcome.dependencies, ElementsAre("/a.h"));
  EXPECT_THAT(outcome.lookups, ElementsAre(region::Lookup{"/b.h", false}));
}

TEST_F(ExtractorTest, WorksInAProgramThatIgnoresTheEndOfItsChildren) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  ASSERT_TRUE(base::write_file_atomically(folder_.path() / "made.json", region::to_manifest(slice_)));
  const auto good = run("cp made.json \"$2/shade.slice.json\"\n");
  const auto bad =
      run("echo '{\"diagnostics\":[{\"severity\":\"error\",\"text\":\"goto leaves the region\"}]}'; exit 1\n");
  std::signal(SIGCHLD, before);
  EXPECT_TRUE(good.slice);
  ASSERT_FALSE(bad.slice);
  EXPECT_EQ(bad.slice.error().code, ErrorCode::source);
  EXPECT_THAT(bad.slice.error().diagnostics, SizeIs(1));
}

TEST_F(ExtractorTest, PassesOnWhatWasSaidWhereThereIsNoDiagnostic) {
  const auto outcome = run("echo 'shade.cu: error: no region found' >&2; exit 1\n");
  ASSERT_FALSE(outcome.slice);
  EXPECT_EQ(outcome.slice.error().code, ErrorCode::source);
  EXPECT_THAT(outcome.slice.error().message, HasSubstr("no region found"));
}

TEST_F(ExtractorTest, GivesUpForNewerText) {
  const auto outcome = run("exec sleep 600\n", [] { return true; });
  ASSERT_FALSE(outcome.slice);
  EXPECT_EQ(outcome.slice.error().code, ErrorCode::busy);
}

TEST_F(ExtractorTest, SurvivesOutputThatIsNotWhatItExpects) {
  for (const char* output : {"", "not json", "[1]", "{\"files\":5}",
                             "{\"files\":[7,{\"dependencies\":[1]}],\"diagnostics\":[7,{\"text\":1}]}"}) {
    const ExtractorReport report = parse_extractor_output(output);
    EXPECT_THAT(report.diagnostics, IsEmpty()) << output;
    EXPECT_THAT(report.dependencies, IsEmpty()) << output;
  }
  EXPECT_THAT(parse_extractor_output("{\"diagnostics\":[{\"text\":\"t\"}]}").diagnostics, SizeIs(1));
}

TEST(FindExtractor, TakesTheOneThatIsNamed) {
  const auto found = find_extractor({std::filesystem::path("/named/by/the/program"), std::nullopt});
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, "/named/by/the/program");
}

}  // namespace
}  // namespace cudahot::runtime
