// Every way to save a file, in automatic mode: each change is taken up, once, to the newest text.
#include <chrono>
#include <fstream>
#include <thread>

#include "lib/base/paths.hpp"
#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

using ::testing::SizeIs;

std::string source(int number) {
  return fill_source("  out[0] = value + " + std::to_string(number) + " + more();", "#include \"more.cuh\"\n");
}

std::string header(int number) { return "__device__ inline int more() { return " + std::to_string(number) + "; }\n"; }

class Saves : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    if (IsSkipped()) return;
    save("more.cuh", header(0));
    fill_ = start_fill(Mode::automatic, source(0));
    ASSERT_EQ(run(fill_, 5), 5);
  }

  // The event at `index` makes generation `index` + 1 live, which adds `number`.
  void expect_live(std::size_t index, int number) {
    const ReloadEvent event = events_.await_one(index);
    EXPECT_EQ(event.kind, Kind::live) << to_string(event);
    EXPECT_EQ(event.generation, index + 1);
    EXPECT_EQ(run(fill_, 5), 5 + number);
  }
  // The newer of two texts becomes live, and is what stays; the older one may have been live before it.
  void expect_adding(int number) {
    std::size_t count = 0;
    while (run(fill_, 5) != 5 + number && !HasFailure()) events_.await_one(count++);
    EXPECT_TRUE(runtime_->reload());  // waits for a reload that is under way
    EXPECT_EQ(run(fill_, 5), 5 + number);
    count = events_.events().size();
    EXPECT_LE(count, 2u);
    expect_nothing_else(count);
  }
  // No event but the `count` that came. Everything that happened to the source before is looked at
  // before the header, whose edit is then the next event.
  void expect_nothing_else(std::size_t count) {
    save("more.cuh", header(1000));
    const ReloadEvent event = events_.await_one(count);
    EXPECT_EQ(event.kind, Kind::live) << to_string(event);
    EXPECT_EQ(event.generation, count + 1);
    EXPECT_GE(run(fill_, 0), 1000);
    EXPECT_TRUE(runtime_->reload());
    EXPECT_THAT(events_.events(), SizeIs(count + 1));
  }

  void write_in_place(const std::string& text) const {
    std::ofstream(path("fill.cu"), std::ios::binary | std::ios::trunc) << text;
  }
  void run_program(std::vector<std::string> arguments, const std::string& name) const {
    arguments.insert(arguments.begin(), name);
    base::ProcessRequest request;
    request.arguments = std::move(arguments);
    request.working_directory = folder_;
    const auto outcome = base::run_process(request);
    ASSERT_TRUE(outcome) << outcome.error().message;
    ASSERT_EQ(outcome->exit_code, 0) << outcome->err;
  }

  Fill fill_;
};

TEST_F(Saves, ByRenamingAsVimDoes) {
  // vim: the old file becomes the backup, the text is written under the name.
  std::filesystem::rename(path("fill.cu"), path("fill.cu~"));
  write_in_place(source(1));
  std::filesystem::remove(path("fill.cu~"));
  expect_live(0, 1);
  save("fill.cu", source(2));
  expect_live(1, 2);
  expect_nothing_else(2);
}

TEST_F(Saves, ByTruncatingAndWritingAsVsCodeDoes) {
  write_in_place(source(1));
  expect_live(0, 1);
  write_in_place(source(2));
  expect_live(1, 2);
  expect_nothing_else(2);
}

TEST_F(Saves, BySed) {
  run_program({"-i", "s/value + 0/value + 1/", "fill.cu"}, "sed");
  expect_live(0, 1);
  expect_nothing_else(1);
}

TEST_F(Saves, ByCopyingOver) {
  save("new.cu", source(1));
  run_program({"new.cu", "fill.cu"}, "cp");
  expect_live(0, 1);
  expect_nothing_else(1);
}

TEST_F(Saves, WithoutAChangeAreNone) {
  run_program({"fill.cu"}, "touch");
  write_in_place(source(0));
  save("fill.cu", source(0));
  expect_nothing_else(0);
}

TEST_F(Saves, TwiceWithinFiveMillisecondsEndWithTheNewerText) {
  save("fill.cu", source(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(5));  // part of the input
  save("fill.cu", source(2));
  expect_adding(2);
}

TEST_F(Saves, WhileTheLastOneIsBeingCompiledEndWithTheNewerText) {
  // Takes the compiler long enough: the newer text is there before it has ended.
  std::string slow = "  int sum = value;\n";
  for (int i = 0; i < 400; ++i) slow += "  sum = sum * 3 + (sum >> " + std::to_string(1 + i % 30) + ");\n";
  save("fill.cu", fill_source(slow + "  out[0] = sum + more();", "#include \"more.cuh\"\n"));
  save("fill.cu.next", source(2));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // part of the input
  std::filesystem::rename(path("fill.cu.next"), path("fill.cu"));
  expect_adding(2);
}

TEST_F(Saves, OfManyTextsInARowEndWithTheLast) {
  constexpr int kSaves = 10;
  for (int number = 1; number <= kSaves; ++number) save("fill.cu", source(number));
  std::size_t events = 0;
  while (run(fill_, 5) != 5 + kSaves && !HasFailure()) events_.await_one(events++);
  EXPECT_TRUE(runtime_->reload());
  EXPECT_EQ(run(fill_, 5), 5 + kSaves);
  EXPECT_LE(fill_.generation(), static_cast<std::uint64_t>(kSaves));
}

TEST_F(Saves, OfABranchThatChangesAHeaderToo) {
  if (!base::find_program("git")) GTEST_SKIP() << "there is no git";
  const auto git = [&](std::vector<std::string> arguments) {
    const std::vector<std::string> always = {"-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"};
    arguments.insert(arguments.begin(), always.begin(), always.end());
    run_program(std::move(arguments), "git");
  };
  git({"init", "-q", "-b", "old"});
  git({"add", "fill.cu", "more.cuh"});
  git({"commit", "-q", "-m", "old"});
  git({"checkout", "-q", "-b", "new"});
  save("more.cuh", header(10));
  save("fill.cu", source(20));
  git({"commit", "-q", "-a", "-m", "new"});
  const auto await_adding = [&](int number) {
    std::size_t index = events_.events().size();
    while (run(fill_, 5) != 5 + number && !HasFailure()) events_.await_one(index++);
    // All is looked at by now, and no half of the two files went on running.
    EXPECT_TRUE(runtime_->reload());
    EXPECT_EQ(run(fill_, 5), 5 + number);
  };
  await_adding(30);
  git({"checkout", "-q", "old"});
  await_adding(0);
  git({"checkout", "-q", "new"});
  await_adding(30);
  for (const ReloadEvent& event : events_.events()) EXPECT_EQ(event.kind, Kind::live) << to_string(event);
}

}  // namespace
}  // namespace cudahot::inputs
