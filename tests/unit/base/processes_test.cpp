#include "lib/base/processes.hpp"

#include <csignal>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/base/files.hpp"
#include "tests/unit/base/scoped_environment.hpp"

namespace cudahot::base {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

ProcessRequest shell(const std::string& script) {
  ProcessRequest request;
  request.arguments = {"sh", "-c", script};
  return request;
}

ProcessOutcome run(const ProcessRequest& request) {
  auto outcome = run_process(request);
  EXPECT_TRUE(outcome) << outcome.error().message;
  return outcome ? *outcome : ProcessOutcome{};
}

TEST(RunProcess, GivesTheExitCodeAndBothOutputs) {
  const auto outcome = run(shell("echo to out; echo to err >&2; exit 3"));
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_FALSE(outcome.cancelled);
  EXPECT_EQ(outcome.out, "to out\n");
  EXPECT_EQ(outcome.err, "to err\n");
}

// More than a pipe holds, on both: reading one to its end first would wait for ever.
TEST(RunProcess, CollectsMoreThanAPipeHoldsFromBothPipes) {
  const auto outcome =
      run(shell("head -c 300000 /dev/zero >&2; head -c 400000 /dev/zero; head -c 300000 /dev/zero >&2"));
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_EQ(outcome.out.size(), 400'000U);
  EXPECT_EQ(outcome.err.size(), 600'000U);
}

TEST(RunProcess, PassesArgumentsAsTheyAre) {
  ProcessRequest request;
  request.arguments = {"printf", "%s|", "two words", "", "$HOME", "\"quoted\"", "\xc3\xa4"};
  EXPECT_EQ(run(request).out, "two words||$HOME|\"quoted\"|\xc3\xa4|");
}

TEST(RunProcess, StandardInputIsEmpty) { EXPECT_EQ(run(shell("cat; echo end")).out, "end\n"); }

TEST(RunProcess, GivesTheSignalThatEndedTheChild) {
  const auto outcome = run(shell("kill -TERM $$"));
  EXPECT_EQ(outcome.signal, SIGTERM);
  EXPECT_EQ(outcome.exit_code, -1);
  EXPECT_FALSE(outcome.cancelled);
}

TEST(RunProcess, DoesNotTakeAnExitCodeThatItCannotKnowForSuccess) {
  const auto before = std::signal(SIGCHLD, SIG_IGN);
  const ProcessOutcome outcome = run(shell("echo said; exit 1"));
  std::signal(SIGCHLD, before);
  EXPECT_EQ(outcome.exit_code, -1);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_EQ(outcome.out, "said\n");
}

TEST(RunProcess, BlockedSignalsOfTheCallerAreNotBlockedInTheChild) {
  sigset_t term;
  sigset_t old;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, &old);
  const auto outcome = run(shell("kill -TERM $$; echo survived"));
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  EXPECT_EQ(outcome.signal, SIGTERM);
}

TEST(RunProcess, CancellationKillsTheChild) {
  auto request = shell("exec sleep 1000");
  request.cancelled = [] { return true; };
  const auto outcome = run(request);
  EXPECT_TRUE(outcome.cancelled);
  EXPECT_EQ(outcome.exit_code, -1);
  EXPECT_EQ(outcome.signal, SIGKILL);
}

TEST(RunProcess, CancellationKillsWhatTheChildStarted) {
  const auto folder = TemporaryFolder::create("cudahot-processes-test");
  ASSERT_TRUE(folder);
  const fs::path started = folder->path() / "started";
  auto request = shell("sleep 1000 & echo > '" + started.string() + "'; wait");
  request.cancelled = [&] { return fs::exists(started); };
  // Returns only if the grandchild, which holds the pipes too, is gone.
  EXPECT_TRUE(run(request).cancelled);
}

TEST(RunProcess, CancellationReachesAChildThatClosedItsOutput) {
  auto request = shell("exec > /dev/null 2> /dev/null; exec sleep 1000");
  int calls = 0;
  request.cancelled = [&] { return ++calls > 20; };
  EXPECT_TRUE(run(request).cancelled);
}

TEST(RunProcess, AskingForCancellationInVainChangesNothing) {
  auto request = shell("echo done; exit 4");
  request.cancelled = [] { return false; };
  const auto outcome = run(request);
  EXPECT_FALSE(outcome.cancelled);
  EXPECT_EQ(outcome.exit_code, 4);
  EXPECT_EQ(outcome.out, "done\n");
}

TEST(RunProcess, SaysThatAProgramIsMissing) {
  ProcessRequest request;
  request.arguments = {"cudahot-no-such-program"};
  const auto by_name = run_process(request);
  ASSERT_FALSE(by_name);
  EXPECT_EQ(by_name.error().code, ErrorCode::not_found);
  EXPECT_EQ(by_name.error().message, "program 'cudahot-no-such-program' is not on PATH");
  request.arguments = {"/no/such/program"};
  const auto by_path = run_process(request);
  ASSERT_FALSE(by_path);
  EXPECT_EQ(by_path.error().code, ErrorCode::not_found);
  EXPECT_THAT(by_path.error().message, HasSubstr("'/no/such/program'"));
}

TEST(RunProcess, SaysThatAFileIsNoProgram) {
  const auto folder = TemporaryFolder::create("cudahot-processes-test");
  ASSERT_TRUE(folder);
  const fs::path file = folder->path() / "file";
  std::ofstream(file) << "neither a script nor a binary";
  fs::permissions(file, fs::perms{0755});
  ProcessRequest request;
  request.arguments = {file.string()};
  const auto outcome = run_process(request);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::environment);
  EXPECT_EQ(outcome.error().message, "cannot start '" + file.string() + "': Exec format error");
}

TEST(RunProcess, SaysThatTheFolderIsMissing) {
  auto request = shell("echo never");
  request.working_directory = "/no/such/folder";
  const auto outcome = run_process(request);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::environment);
  EXPECT_THAT(outcome.error().message, HasSubstr("in the folder '/no/such/folder': No such file or directory"));
}

TEST(RunProcess, RunsInTheFolderAskedFor) {
  const auto folder = TemporaryFolder::create("cudahot-processes-test");
  ASSERT_TRUE(folder);
  auto request = shell("pwd -P");
  request.working_directory = folder->path();
  EXPECT_EQ(run(request).out, fs::canonical(folder->path()).string() + "\n");
}

TEST(RunProcess, RelativeProgramIsThatOfTheCallersFolder) {
  const auto folder = TemporaryFolder::create("cudahot-processes-test");
  ASSERT_TRUE(folder);
  const fs::path program = folder->path() / "tool";
  std::ofstream(program) << "#!/bin/sh\npwd -P\n";
  fs::permissions(program, fs::perms{0755});
  const fs::path before = fs::current_path();
  fs::current_path(folder->path());
  ProcessRequest request;
  request.arguments = {"./tool"};
  request.working_directory = "/";
  const auto outcome = run_process(request);
  fs::current_path(before);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->out, "/\n");
}

TEST(RunProcess, ExtraEnvironmentAddsAndReplaces) {
  const ScopedEnvironment replaced("CUDAHOT_OURS_A", "old");
  const ScopedEnvironment kept("CUDAHOT_OURS_AB", "kept");
  ProcessRequest request;
  request.arguments = {"env"};  // not a shell: that would hide a variable which is there twice
  request.extra_environment = {"CUDAHOT_OURS_A=first", "CUDAHOT_OURS_A=new", "CUDAHOT_OURS_C=added"};
  std::vector<std::string> ours;
  std::istringstream lines(run(request).out);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("CUDAHOT_OURS_", 0) == 0) ours.push_back(line);
  }
  EXPECT_THAT(ours,
              testing::UnorderedElementsAre("CUDAHOT_OURS_A=new", "CUDAHOT_OURS_AB=kept", "CUDAHOT_OURS_C=added"));
}

// A daemon may have closed its standard descriptors; the pipes then take their numbers.
TEST(RunProcess, WorksWithoutStandardDescriptors) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int fd : {0, 1, 2}) ::close(fd);
    const auto outcome = run_process(shell("echo out; echo err >&2; cat"));
    ::_exit(outcome && outcome->exit_code == 0 && outcome->out == "out\n" && outcome->err == "err\n" ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(RunProcess, LeavesNoDescriptorOpen) {
  auto count = [] { return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator{}); };
  const auto before = count();
  run(shell("true"));
  ProcessRequest missing = shell("true");
  missing.working_directory = "/no/such/folder";
  EXPECT_FALSE(run_process(missing));
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace cudahot::base
