#include <fmt/format.h>

#include "lib/base/paths.hpp"
#include "tests/cli/extract/extract_run.hpp"

namespace cudahot::extract_tool {
namespace {

using ::testing::HasSubstr;
using testing::kShade;

class Arguments : public testing::ExtractRun {};

TEST_F(Arguments, HelpNamesTheExitCodes) {
  const auto outcome = run({"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("--bundle FILE"));
  EXPECT_THAT(outcome.out, HasSubstr("Exit code: 0 done, 1 the source is at fault"));
}

TEST_F(Arguments, WrongUsageIsExitCodeTwo) {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  for (const Case& wrong : std::initializer_list<Case>{
           {{}, "FILE is required"},
           {{"a.cu", "--nonsense"}, "--nonsense"},
           {{"a.cu", "-Iinc"}, "compiler flags go after --"},
           {{"a.cu", "--arch", "fast"}, "'fast' is not a GPU architecture"},
           {{"a.cu", "--tier", "slow"}, "--tier takes quick or full"},
           {{"a.cu", "-j", "0"}, "-j takes a number from 1"},
           {{"a.cu", "--check", "--bundle", "b"}, "exclude each other"},
           {{"a.cu", "--cache", "c", "--bundle", "b"}, "exclude each other"},
           {{"a.cu", "--depfile", "d"}, "--depfile needs --bundle"},
           {{"a.cu", "--allow-no-region"}, "--allow-no-region needs --emit-slice"},
           {{"a.cu", "-p", "nowhere"}, "compile_commands.json"},
           {{"a.slice.json", "--", "-DX"}, "'a.slice.json' is a slice, which has its flags: those behind -- cannot"},
           {{"b.cu", "a.slice.json", "--", "-DX"}, "'a.slice.json' is a slice"},
           {{"a.slice.json", "-p", "."}, "'a.slice.json' is a slice, which has its flags: -p cannot change them"},
           {{"a/k.cu", "b/k.cu", "--emit-slice", "s"}, "the slices of 'a/k.cu' and 'b/k.cu' would have the same name"},
           {{"k.cu", "s/k.slice.json", "--emit-slice", "s"}, "the slices of 'k.cu' and 's/k.slice.json'"},
           {{"a.cu", "--bundle", ""}, "--bundle: the value is empty"},
           {{"a.cu", "--cache", ""}, "--cache: the value is empty"},
       }) {
    const auto outcome = run(wrong.arguments);
    EXPECT_EQ(outcome.exit_code, 2) << wrong.message;
    EXPECT_THAT(outcome.err, HasSubstr(wrong.message));
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(Arguments, ArchitecturesComeFromTheFlagsOfNvcc) {
  write("shade.cu", kShade);
  const auto outcome = run({"--json", "shade.cu", "--", "-gencode", "arch=compute_80,code=sm_80",
                            "--generate-code=arch=compute_90a,code=[compute_90a,sm_90a]"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto cubins = nlohmann::json::parse(outcome.out)["files"][0]["cubins"];
  ASSERT_EQ(cubins.size(), 2u);
  EXPECT_EQ(cubins[0]["architecture"], "sm_80");
  EXPECT_EQ(cubins[1]["architecture"], "sm_90a");
}

TEST_F(Arguments, FlagsComeFromTheCompilationDatabase) {
  write("src/shade.cu", "#include \"half it.cuh\"\n" + std::string(kShade) + "\nstatic_assert(PIXELS == 3);\n");
  write("my inc/half it.cuh", "#pragma once\n");
  write("build/compile_commands.json",
        R"([{"directory": ")" + (folder() / "build").string() + R"(", "file": "../src/shade.cu",
           "command": "ccache /usr/local/cuda/bin/nvcc -DPIXELS=3 \"-I../my inc\" -x cu -arch=sm_90 -c ../src/shade.cu -o x.o"}])");
  const auto outcome = run({"--json", "-p", "build", "src/shade.cu"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto cubins = nlohmann::json::parse(outcome.out)["files"][0]["cubins"];
  ASSERT_EQ(cubins.size(), 1u);
  EXPECT_EQ(cubins[0]["architecture"], "sm_90");

  write("src/other.cu", kShade);
  const auto unknown = run({"-p", "build", "src/other.cu"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("has no entry for 'src/other.cu'"));
}

// A line that is rewritten, and gone before the result.
TEST_F(Arguments, TerminalIsShownWhatIsBeingDone) {
  if (!base::find_program("script")) GTEST_SKIP() << "no script(1), which makes a terminal";
  write("shade.cu", kShade);
  const auto in_terminal = [&](const std::string& terminal) {
    base::ProcessRequest request;
    request.arguments = {
        "script", "-qec",
        fmt::format("'{}' --arch 90 --check shade.cu", std::filesystem::absolute(testing::program()).string()),
        "/dev/null"};
    request.working_directory = folder();
    request.extra_environment = {"TERM=" + terminal};
    return base::run_process(request).value().out;
  };
  const std::string shown = in_terminal("xterm");
  EXPECT_THAT(shown, HasSubstr("\r\x1b[K[1/1] reading shade.cu"));
  EXPECT_THAT(shown, HasSubstr("\r\x1b[K[1/1] compiling shade.cu for sm_90\r\x1b[Kshade.cu:5: region shade"));
  EXPECT_THAT(in_terminal("dumb"), ::testing::StartsWith("shade.cu:5: region shade"));
}

TEST_F(Arguments, HeadersOfAnotherToolkitInASystemFolderAreNotRead) {
  write("shade.cu", kShade);
  write("old/cuda.h", "#error another toolkit's cuda.h\n");
  write("old/cuda_runtime.h", "#error another toolkit's cuda_runtime.h\n");
  const auto outcome = run({"--list", "shade.cu"}, {"CPLUS_INCLUDE_PATH=" + (folder() / "old").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(Arguments, ListPrintsRegionsAndKernelsAndCompilesNothing) {
  write("shade.cu", kShade);
  const auto outcome = run({"--list", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "shade.cu:5: region shade in Shade\n"
            "  in: float value\n"
            "  out: float value\n"
            "shade.cu:2: hot kernel Shade (region shade)\n");
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Arguments, ListNamesTheFileOfEachRegionAndTheFunctionsThatItHolds) {
  write("tone.cuh",
        "#pragma cudahot begin(tones)\n__device__ float half(float x) { return x / 2; }\n"
        "__device__ float tone(float x) { return half(x); }\n#pragma cudahot end\n");
  write("shade.cu", "#include \"tone.cuh\"\n__global__ void Shade(float* out) { *out = tone(1); }\n");
  const auto outcome = run({"--list", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out,
            "tone.cuh:2: region tones of functions half, tone\n"
            "shade.cu:2: hot kernel Shade (region tones)\n");
}

TEST_F(Arguments, ListAsJsonHoldsTheInterfaceOfEachRegion) {
  write("shade.cu", kShade);
  const auto outcome = run({"--list", "--json", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto region = nlohmann::json::parse(outcome.out)["files"][0]["regions"][0];
  const auto value = nlohmann::json::parse(R"([{"name": "value", "type": "float"}])");
  EXPECT_EQ(region["kind"], "statements");
  EXPECT_EQ(region["file"], (folder() / "shade.cu").string());
  EXPECT_EQ(region["in"], value);
  EXPECT_EQ(region["out"], value);
  EXPECT_EQ(region["declared"], nlohmann::json::array());
}

TEST_F(Arguments, WithoutOutputTheFileIsChecked) {
  write("shade.cu", kShade);
  const auto outcome = run({"--arch", "90", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("shade.cu: sm_90 full: "));
  EXPECT_THAT(content(), ::testing::ElementsAre("shade.cu"));
}

TEST_F(Arguments, FilesWithoutRegionsMayStandBesideOthers) {
  write("shade.cu", kShade);
  write("plain.cu", "__global__ void plain() {}\n");
  const auto outcome = run({"--arch", "90", "--check", "shade.cu", "plain.cu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("plain.cu: note: no region found"));
}

}  // namespace
}  // namespace cudahot::extract_tool
