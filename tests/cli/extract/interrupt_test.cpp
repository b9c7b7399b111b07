#include <csignal>

#include <array>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/cli/extract/extract_run.hpp"

namespace cudahot::extract_tool {
namespace {

using testing::kShade;

class Interrupt : public testing::ExtractRun {
 protected:
  // Starts a run, sends `signal` when it has said its first line, and gives its wait status.
  int interrupted(int signal) {
    std::array<int, 2> err{};
    EXPECT_EQ(::pipe(err.data()), 0);
    std::vector<std::string> arguments = {testing::program(),
                                          "-v",
                                          "--arch",
                                          "75,80,86,89,90,100,120",
                                          "--bundle",
                                          (folder() / "out.cudahot").string(),
                                          (folder() / "shade.cu").string()};
    std::vector<char*> pointers;
    for (auto& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, err[1], 2);
    posix_spawn_file_actions_addclose(&actions, err[0]);
    pid_t child = 0;
    EXPECT_EQ(::posix_spawn(&child, arguments.front().c_str(), &actions, nullptr, pointers.data(), environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    ::close(err[1]);
    char first = 0;
    EXPECT_EQ(::read(err[0], &first, 1), 1);
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    ::close(err[0]);
    return status;
  }
};

TEST_F(Interrupt, LeavesTheOldBundleAndNothingElse) {
  write("shade.cu", kShade);
  ASSERT_EQ(run({"--arch", "90", "--bundle", "out.cudahot", "shade.cu"}).exit_code, 0);
  const std::string before = read("out.cudahot");
  for (const int signal : {SIGINT, SIGTERM}) {
    const int status = interrupted(signal);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal);
    EXPECT_EQ(read("out.cudahot"), before);
    EXPECT_THAT(content(), ::testing::ElementsAre("out.cudahot", "shade.cu"));
  }
}

}  // namespace
}  // namespace cudahot::extract_tool
