#include "lib/cpu_device/code/tool.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lib/cpu_device/code/cpu_compiler.hpp"

namespace cudahot::cpu_device {
namespace {

using ::testing::HasSubstr;

base::ProcessRequest shell(const std::string& script) {
  base::ProcessRequest request;
  request.arguments = {"/bin/sh", "-c", script};
  return request;
}

TEST(RunTool, StopsAProgramThatHangsAndSaysSo) {
  const auto outcome = run_tool(shell("echo waiting >&2; exec sleep 1000"), {}, std::chrono::milliseconds(100));
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::environment);
  EXPECT_THAT(outcome.error().message, HasSubstr("/bin/sh had not ended after 0.1 s and was stopped"));
}

TEST(RunTool, NamesTheSignalThatEndedAProgram) {
  const auto outcome = run_tool(shell("kill -KILL $$"), {});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "/bin/sh was ended by signal 9 (Killed)");
}

TEST(RunTool, IsCancelledBeforeItsLimit) {
  const auto outcome = run_tool(shell("exec sleep 1000"), [] { return true; });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::busy);
}

TEST(ToolFailed, HasTheExitCodeAlsoOfAProgramThatSaidNothing) {
  const auto identity = identify({"/bin/false", "/bin/false", {}});
  ASSERT_FALSE(identity);
  EXPECT_EQ(identity.error().message, "/bin/false --version failed with exit code 1 and said nothing");
}

}  // namespace
}  // namespace cudahot::cpu_device
