// Each fault: one clear message, the right exit code, nothing left behind.
#include <sys/stat.h>
#include <unistd.h>

#include "cache/sqlite.hpp"
#include "tests/cli/extract/extract_run.hpp"

namespace cudahot::extract_tool {
namespace {

using testing::count;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::kShade;
using ::testing::Not;

class Faults : public testing::ExtractRun {
 protected:
  // Runs on a file of this text and expects one error, exit code `code`, and no file but the source.
  std::string message_of(std::string_view text, int code) {
    write("shade.cu", text);
    const auto outcome = run({"--arch", "90", "--bundle", "out.cudahot", "--depfile", "out.d", "shade.cu"});
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    EXPECT_EQ(count(outcome.err, "error: "), 1) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(content(), ElementsAre("shade.cu"));
    return outcome.err;
  }
};

TEST_F(Faults, FileWithoutRegions) {
  const auto message = message_of("__global__ void Shade() {}\n", 1);
  EXPECT_THAT(message, HasSubstr("shade.cu: error: no region found"));
  EXPECT_THAT(message, HasSubstr("hint: put `#pragma cudahot begin(NAME)`"));
}

TEST_F(Faults, UnclosedRegion) {
  const auto message = message_of(
      "__global__ void Shade(int* p) {\n"
      "#pragma cudahot begin(shade)\n"
      "  p[0] = 1;\n"
      "}\n",
      1);
  EXPECT_THAT(message, HasSubstr("shade.cu:2:"));
  EXPECT_THAT(message, HasSubstr("shade"));
  EXPECT_THAT(message, HasSubstr("hint: "));
}

TEST_F(Faults, RegionAroundAClass) {
  const auto message = message_of(
      "#pragma cudahot begin(shade)\n"
      "struct Pixel { float r; };\n"
      "#pragma cudahot end\n"
      "__global__ void Shade(Pixel* p) { p->r = 1; }\n",
      1);
  EXPECT_THAT(message, HasSubstr("shade.cu:2:"));
  EXPECT_THAT(message, HasSubstr("holds 'Pixel', which is no function [CH027]"));
}

TEST_F(Faults, NoClangForTheCpuDevice) {
  write("shade.cu", kShade);
  const auto outcome =
      run({"--arch", "cpu-x86-64,90", "--bundle", "out.cudahot", "shade.cu"}, {"CUDAHOT_CLANG=/nowhere/clang++"});
  EXPECT_EQ(outcome.exit_code, 3) << outcome.err;
  EXPECT_EQ(count(outcome.err, "error: "), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("/nowhere/clang++"));
  EXPECT_THAT(outcome.err, HasSubstr("CUDAHOT_CLANG"));
  EXPECT_THAT(content(), ElementsAre("shade.cu"));
}

TEST_F(Faults, FeatureThatTheCpuDeviceLacks) {
  std::string text(kShade);
  text.replace(text.find("  value = twice"), 0, "  asm(\"\");\n");
  write("shade.cu", text);
  const auto outcome = run({"--arch", "cpu-x86-64,90", "--bundle", "out.cudahot", "--depfile", "out.d", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.err;
  EXPECT_EQ(count(outcome.err, "error: "), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("shade.cu:5:3: error: the CPU device does not have inline PTX (asm) [CH025]\n"));
  EXPECT_THAT(outcome.err, HasSubstr("hint: leave cpu-x86-64 out of --arch"));
  EXPECT_THAT(content(), ElementsAre("shade.cu"));
  EXPECT_EQ(run({"--arch", "90", "--bundle", "out.cudahot", "shade.cu"}).exit_code, 0);
}

TEST_F(Faults, FeatureThatTheCpuDeviceLacksWhereNoKernelReachesItIsNone) {
  write("shade.cu", std::string(kShade) + "static __device__ void stop() { asm(\"exit;\"); }\n");
  const auto outcome = run({"--arch", "cpu-x86-64", "--bundle", "out.cudahot", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(count(outcome.err, "error: "), 0) << outcome.err;
}

TEST_F(Faults, MissingInclude) {
  const auto message = message_of("#include \"nowhere.cuh\"\n" + std::string(kShade), 1);
  EXPECT_THAT(message, HasSubstr("shade.cu:1:10: error: "));
  EXPECT_THAT(message, HasSubstr("nowhere.cuh"));
  EXPECT_THAT(message, HasSubstr("#include \"nowhere.cuh\"\n"));
}

TEST_F(Faults, ErrorInARegion) {
  std::string text(kShade);
  text.replace(text.find("twice(3.0f)"), 11, "nope(3.0f)");
  const auto message = message_of(text, 1);
  EXPECT_THAT(message, HasSubstr("shade.cu:5:11: error: "));
  EXPECT_THAT(message, HasSubstr("nope"));
  EXPECT_THAT(message, HasSubstr("  value = nope(3.0f);\n"));
}

TEST_F(Faults, UnresolvedFunctionIsNamedOnceForAllArchitectures) {
  std::string text(kShade);
  text.replace(0, text.find('\n'), "__device__ float twice(float x);");
  write("shade.cu", text);
  const auto outcome = run({"--arch", "80,90", "--bundle", "out.cudahot", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(count(outcome.err, "error: "), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("shade.cu:5:"));
  EXPECT_THAT(outcome.err, HasSubstr("'twice(float)'"));
  EXPECT_THAT(content(), ElementsAre("shade.cu"));
}

TEST_F(Faults, UnknownArchitecture) {
  write("shade.cu", kShade);
  const auto outcome = run({"--arch", "77", "--bundle", "out.cudahot", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(count(outcome.err, "error: "), 1);
  EXPECT_THAT(outcome.err, HasSubstr("sm_77"));
  EXPECT_THAT(outcome.err, HasSubstr("80, "));
  EXPECT_THAT(outcome.err, HasSubstr("90"));
  EXPECT_THAT(content(), ElementsAre("shade.cu"));
}

TEST_F(Faults, MissingToolkitNamesEveryPlace) {
  write("shade.cu", kShade);
  const auto named = run({"--toolkit", "/nowhere/cuda", "--arch", "90", "--bundle", "out.cudahot", "shade.cu"});
  EXPECT_EQ(named.exit_code, 3);
  EXPECT_THAT(named.err, HasSubstr("'/nowhere/cuda'"));
  const auto set = run({"--arch", "90", "--bundle", "out.cudahot", "shade.cu"}, {"CUDAHOT_TOOLKIT=/nowhere/else"});
  EXPECT_EQ(set.exit_code, 3);
  EXPECT_THAT(set.err, HasSubstr("CUDAHOT_TOOLKIT"));
  EXPECT_THAT(set.err, HasSubstr("'/nowhere/else'"));
  EXPECT_THAT(content(), ElementsAre("shade.cu"));
}

TEST_F(Faults, UnwritableBundle) {
  write("shade.cu", kShade);
  for (const char* bundle : {"/proc/out.cudahot", "no/such/folder/out.cudahot", "."}) {
    const auto outcome = run({"--arch", "90", "--bundle", bundle, "shade.cu"});
    EXPECT_EQ(outcome.exit_code, 3) << bundle;
    EXPECT_EQ(count(outcome.err, "error: "), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(std::string("cannot write '") + bundle + "'"));
  }
  EXPECT_THAT(content(), ElementsAre("shade.cu"));
}

TEST_F(Faults, OutputThatCannotBeWrittenIsNoSuccess) {
  write("shade.cu", kShade);
  for (const char* arguments :
       {"--help", "--version", "--check --arch 90 shade.cu", "--check --json --arch 90 shade.cu"}) {
    base::ProcessRequest request;
    request.arguments = {"sh", "-c", std::string("\"$0\" ") + arguments + " > /dev/full", testing::program()};
    request.working_directory = folder();
    const auto outcome = base::run_process(request).value();
    EXPECT_EQ(outcome.exit_code, 3) << arguments;
    EXPECT_THAT(outcome.err, HasSubstr("cannot write to standard output")) << arguments;
  }
}

TEST_F(Faults, BundleInAWriteProtectedFolder) {
  if (::geteuid() == 0) GTEST_SKIP() << "permissions do not bind root";
  write("shade.cu", kShade);
  std::filesystem::create_directory(folder() / "locked");
  std::filesystem::permissions(folder() / "locked", std::filesystem::perms::owner_read);
  EXPECT_EQ(run({"--arch", "90", "--bundle", "locked/out.cudahot", "shade.cu"}).exit_code, 3);
}

TEST_F(Faults, FileThatIsNoBundleIsNotReplaced) {
  write("shade.cu", kShade);
  write("notes.txt", "do not lose me\n");
  const auto outcome = run({"--arch", "90", "--bundle", "notes.txt", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("'notes.txt' (--bundle) is not replaced"));
  EXPECT_EQ(read("notes.txt"), "do not lose me\n");
}

TEST_F(Faults, BundleIsNoCache) {
  write("shade.cu", kShade);
  ASSERT_EQ(run({"--arch", "cpu-x86-64", "--bundle", "out.cudahot", "shade.cu"}).exit_code, 0);
  const std::string before = read("out.cudahot");
  const auto outcome = run({"--arch", "cpu-x86-64", "--cache", "out.cudahot", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'out.cudahot' (--cache) is a bundle, which is not changed"));
  EXPECT_EQ(count(outcome.err, "\n"), 1) << outcome.err;
  EXPECT_TRUE(read("out.cudahot") == before);
  EXPECT_THAT(content(), ElementsAre("out.cudahot", "shade.cu"));
}

TEST_F(Faults, WhatIsWrongWithTheCacheIsSaidOnce) {
  write("shade.cu", kShade);
  write("notes.txt", "do not lose me\n");
  write("one.txt", "1");
  ASSERT_EQ(::mkfifo((folder() / "pipe").c_str(), 0666), 0);
  for (const char* cache : {"notes.txt", "one.txt", "pipe", "notes.txt/cache.db", "."}) {
    const auto outcome = run({"--arch", "cpu-x86-64", "--cache", cache, "shade.cu"});
    EXPECT_EQ(outcome.exit_code, 3) << cache;
    EXPECT_THAT(outcome.err, HasSubstr(std::string("'") + cache + "'"));
    EXPECT_EQ(count(outcome.err, "\n"), 1) << outcome.err;
  }
  EXPECT_EQ(read("notes.txt") + read("one.txt"), "do not lose me\n1");
  EXPECT_THAT(content(), ElementsAre("notes.txt", "one.txt", "pipe", "shade.cu"));
}

TEST_F(Faults, CacheThatOthersWriteToIsSaidOnce) {
  write("shade.cu", kShade);
  ASSERT_EQ(run({"--arch", "cpu-x86-64", "--cache", "cache.db", "shade.cu"}).exit_code, 0);
  write("shade.cu", std::string(kShade) + "// changed\n");
  auto other = cache::Database::open(folder() / "cache.db", cache::Database::Access::read_write).value();
  const auto transaction = cache::Transaction::begin(other);
  ASSERT_TRUE(transaction);
  const auto outcome = run({"--arch", "cpu-x86-64", "--cache", "cache.db", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("another process holds it"));
  EXPECT_EQ(count(outcome.err, "\n"), 1) << outcome.err;
}

TEST_F(Faults, FailureKeepsTheOldBundle) {
  write("shade.cu", kShade);
  ASSERT_EQ(run({"--arch", "90", "--bundle", "out.cudahot", "shade.cu"}).exit_code, 0);
  const std::string before = read("out.cudahot");
  std::string text(kShade);
  text.replace(text.find("twice(3.0f)"), 11, "nope(3.0f)");
  write("shade.cu", text);
  EXPECT_EQ(run({"--arch", "90", "--bundle", "out.cudahot", "shade.cu"}).exit_code, 1);
  EXPECT_EQ(read("out.cudahot"), before);
  EXPECT_THAT(content(), ElementsAre("out.cudahot", "shade.cu"));
}

TEST_F(Faults, MissingResourceHeaders) {
  write("shade.cu", kShade);
  const auto outcome = run({"--resource-dir", "/nowhere", "--arch", "90", "--bundle", "out.cudahot", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.err, HasSubstr("'/nowhere' (--resource-dir)"));
}

TEST_F(Faults, MissingFile) {
  const auto outcome = run({"--arch", "90", "nowhere.cu"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(count(outcome.err, "error: "), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("nowhere.cu"));
}

TEST_F(Faults, FolderInPlaceOfAFile) {
  const auto outcome = run({"--arch", "90", "."});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'.' is a folder"));
}

TEST_F(Faults, BinaryFileIsOneError) {
  write("program.cu", std::string("\x7f"
                                  "ELF\0\0\xff\xfe\n\xff",
                                  10));
  const auto outcome = run({"--arch", "90", "program.cu"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(count(outcome.err, "\n"), 1) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("'program.cu' is not a text file"));
}

TEST_F(Faults, TwentyErrorsAreShownAndTheOthersCounted) {
  std::string text(kShade);
  for (int i = 0; i < 50; ++i) text += "unknown" + std::to_string(i) + " variable" + std::to_string(i) + ";\n";
  write("shade.cu", text);
  const auto outcome = run({"--arch", "90", "shade.cu"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(count(outcome.err, "error: "), 20) << outcome.err;
  EXPECT_THAT(outcome.err, ::testing::EndsWith("cudahot-extract: 30 more errors are not shown\n"));
}

// Nobody instantiates the template: NVRTC and nvcc do not look the name up.
TEST_F(Faults, ThatOnlyClangSeesInDeviceCodeAreNotShownOnceItCompiles) {
  const std::string angle = "template <class T> __device__ T angle(T x) { using ::angle_of; return angle_of(x); }\n";
  write("shade.cu", angle + std::string(kShade));
  EXPECT_THAT(run({"--list", "shade.cu"}).err, HasSubstr("warning: no member named 'angle_of'"));
  const auto compiled = run({"--arch", "90", "--check", "shade.cu"});
  EXPECT_EQ(compiled.exit_code, 0);
  EXPECT_EQ(compiled.err, "");
}

TEST_F(Faults, MissingFolderOfAnOutputIsNamed) {
  write("shade.cu", kShade);
  const auto bundle = run({"--arch", "90", "--bundle", "no/such/out.cudahot", "shade.cu"});
  EXPECT_EQ(bundle.exit_code, 3);
  EXPECT_THAT(bundle.err, HasSubstr("there is no folder 'no/such'; make it first"));
  const auto slices = run({"--arch", "90", "--emit-slice", "shade.cu", "shade.cu"});
  EXPECT_EQ(slices.exit_code, 3);
  EXPECT_THAT(slices.err, HasSubstr("cannot write to 'shade.cu' (--emit-slice): it is not a folder"));
}

}  // namespace
}  // namespace cudahot::extract_tool
