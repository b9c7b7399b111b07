// printf, assert, traps and clocks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "kernels_under_test.hpp"

namespace cudahot::kernels {
namespace {

struct Messages : KernelTest {
  static void SetUpTestSuite() { open("messages.cu"); }

  // What a launch and the wait for its end print: a GPU keeps it until then.
  template <typename... Arguments>
  std::string printed(const std::string& name, const LaunchConfig& config, Arguments... arguments) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(run(name, config, arguments...), CUDA_SUCCESS);
    return testing::internal::GetCapturedStdout();
  }
};

TEST_F(Messages, ArePrintedAsByTheHostsPrintf) {
  EXPECT_EQ(printed("say", {}, -7, 1.5F),
            "-7 4000000000 -1099511627776 ff|1.500000    0.667 1.234568e+04 0.5|text c    -3 42   |%\nplain\n");
}

TEST_F(Messages, OfAllThreadsArriveWhole) {
  std::istringstream lines(printed("say_in_all_threads", {.grid = 3, .block = 40}));
  std::multiset<std::string> got, want;
  for (std::string line; std::getline(lines, line);) got.insert(line);
  for (int block = 0; block < 3; ++block) {
    for (int thread = 0; thread < 40; ++thread) want.insert(std::to_string(block) + '.' + std::to_string(thread));
  }
  EXPECT_EQ(got, want);
}

TEST_F(Messages, FailedAssertionsEndTheContextWithTheirOwnError) {
  CUDAHOT_IN_OWN_PROCESS();
  const DeviceArray<int> out(driver(), 1, -1);
  ASSERT_EQ(run("require", {}, 1, out.get()), CUDA_SUCCESS);
  EXPECT_EQ(out.read()[0], 1);
  testing::internal::CaptureStderr();
  EXPECT_EQ(run("require", {}, 2, out.get()), CUDA_ERROR_ASSERT);
  testing::internal::GetCapturedStderr();
}

// Which error a trap becomes is not documented, only that the kernel is aborted.
TEST_F(Messages, TrapsEndTheContext) {
  CUDAHOT_IN_OWN_PROCESS();
  const DeviceArray<int> out(driver(), 1, -1);
  ASSERT_EQ(run("give_up", {}, 1, out.get()), CUDA_SUCCESS);
  EXPECT_EQ(out.read()[0], 1);
  const CUresult result = run("give_up", {}, 2, out.get());
  EXPECT_TRUE(cuda::is_fatal_for_context(result)) << cuda::describe(driver(), result);
}

TEST_F(Messages, ClocksGoOn) {
  const DeviceArray<long long> out(driver(), 2);
  ASSERT_EQ(run("tick", {}, out.get()), CUDA_SUCCESS);
  EXPECT_GT(out.read()[0], 0);
  EXPECT_EQ(out.read()[1], 1);
}

}  // namespace
}  // namespace cudahot::kernels
