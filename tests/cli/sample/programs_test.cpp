// The sample's programs, as they are run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "device.hpp"
#include "lib/base/files.hpp"
#include "run_program.hpp"

namespace cudahot {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

bool is_one_line(const std::string& text) { return !text.empty() && text.find('\n') == text.size() - 1; }

TEST(UpdateSurfaceProgram, ExplainsItsOptions) {
  const auto outcome = run_program("update_surface", {"--help"});
  EXPECT_EQ(outcome.exit_code, 0);
  for (const char* option : {"--frames", "--size", "--time-step", "--out", "--watch", "--every", "--bundle",
                             "--print-loaded", "--quiet", "--device"}) {
    EXPECT_THAT(outcome.out, HasSubstr(option));
  }
}

TEST(UpdateSurfaceProgram, RefusesWrongUsageWithExitCode2) {
  const std::vector<std::vector<std::string>> wrong = {
      {"--size", "640"},    {"--size", "0x10"},           {"--size", "10x"},
      {"--size", "10x10x"}, {"--frames", "-1"},           {"--frames", "many"},
      {"--no-such-option"}, {"--watch", "--frames", "3"}, {"--device", "tpu"}};
  for (const auto& arguments : wrong) {
    const auto outcome = run_program("update_surface", arguments);
    EXPECT_EQ(outcome.exit_code, 2) << testing::PrintToString(arguments);
    EXPECT_THAT(outcome.err, HasSubstr(arguments.front())) << testing::PrintToString(arguments);
    EXPECT_THAT(outcome.out, IsEmpty());
  }
}

TEST(UpdateSurfaceProgram, SaysInOneLineThatThereIsNoDriverAndEndsWithExitCode3) {
  if (sample::Device::open(Device::gpu)) GTEST_SKIP() << "there is a GPU here";
  const auto folder = base::TemporaryFolder::create("sample-cli");
  ASSERT_TRUE(folder) << folder.error().message;
  const auto out = folder->path() / "frames";
  const auto outcome = run_program("update_surface", {"--frames", "1", "--out", out.string()});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(is_one_line(outcome.err)) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("update_surface: "));
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(out)) << "nothing may be left behind";
}

TEST(UpdateSurfaceProgram, ListsItsLoadedObjectsAndNoCompilerIsAmongThem) {
  const auto outcome =
      run_program("update_surface", {"--frames", "1", "--print-loaded", "--bundle", "/no/such/bundle"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("loaded: /"));
  for (const char* library : {"nvrtc", "nvJitLink", "LLVM", "clang", "cudart"}) {
    EXPECT_THAT(outcome.out, testing::Not(HasSubstr(library)));
  }
}

TEST(Demo, SaysInOneLineThatThereIsNoDriverAndNamesTheCpuDevice) {
  if (sample::Device::open(Device::gpu)) GTEST_SKIP() << "there is a GPU here";
  const auto folder = base::TemporaryFolder::create("sample-cli");
  ASSERT_TRUE(folder) << folder.error().message;
  const auto outcome = run_program("update_surface_demo", {"--device", "gpu", "--work", folder->path().string()});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_TRUE(is_one_line(outcome.err)) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("CUDAHOT_DEVICE=cpu"));
  EXPECT_THAT(outcome.out, IsEmpty());
}

TEST(Demo, RunsToTheEndOnTheCpuDeviceAndLeavesTheContactSheet) {
  const auto folder = base::TemporaryFolder::create("sample demo");
  ASSERT_TRUE(folder) << folder.error().message;
  const auto work = folder->path() / "work";
  base::ProcessRequest request;
  request.arguments = {CUDAHOT_SCRIPTS "/demo", "--built", CUDAHOT_BUILD, "--work", work.string()};
  request.extra_environment = {"CUDAHOT_DEVICE=cpu"};
  const auto outcome = base::run_process(request);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->exit_code, 0) << outcome->out << outcome->err;
  EXPECT_THAT(outcome->out, HasSubstr("this is the CPU device"));
  for (const char* step : {"swap red/green", "syntax error", "mended", "undo"}) {
    EXPECT_THAT(outcome->out, testing::ContainsRegex(std::string(step) + " .* ok\n"));
  }
  EXPECT_THAT(outcome->out, testing::ContainsRegex("UpdateSurface +shade +cpu-x86-64"));
  EXPECT_TRUE(std::filesystem::exists(work / "contact_sheet.png"));
}

TEST(Demo, RefusesWrongUsageWithExitCode2) {
  EXPECT_EQ(run_program("update_surface_demo", {}).exit_code, 2) << "--work is needed";
  EXPECT_EQ(run_program("update_surface_demo", {"--work", "/no/such/folder"}).exit_code, 2);
  EXPECT_EQ(run_program("update_surface_demo", {"--work", "/", "--size", "1"}).exit_code, 2);
}

}  // namespace
}  // namespace cudahot
