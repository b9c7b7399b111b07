// Edits that do not compile, files that are seen half written, code that ends the context.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "tests/device/inputs/project.hpp"

namespace cudahot::inputs {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class BadEdits : public Project {};

TEST_F(BadEdits, LeaveTheOldKernelAndOneDiagnosticAtTheUsersLine) {
  const Fill fill = start_fill(Mode::automatic, fill_source(adding(1)));
  save("fill.cu", fill_source("  out[0] = value;\n  out[0] = value + ;"));
  const ReloadEvent event = events_.await_one(0);
  EXPECT_EQ(event.kind, Kind::failed);
  ASSERT_THAT(event.error.diagnostics, SizeIs(1));
  EXPECT_EQ(event.error.diagnostics[0].location.file, path("fill.cu").string());
  EXPECT_EQ(event.error.diagnostics[0].location.line, 4u);
  EXPECT_THAT(event.error.diagnostics[0].frame, HasSubstr("out[0] = value + ;"));
  EXPECT_EQ(run(fill, 5), 6);

  // Looking again reports nothing again.
  EXPECT_FALSE(runtime_->reload());
  save("fill.cu", fill_source(adding(2)));
  EXPECT_EQ(events_.await_one(1).kind, Kind::live);
  EXPECT_EQ(run(fill, 5), 7);
}

// As an editor on a slow disk does: what is there meanwhile is no edit.
TEST_F(BadEdits, TruncationBeforeTheTextIsNone) {
  using std::chrono::milliseconds;
  using Clock = std::chrono::steady_clock;
  const Fill fill = start_fill(Mode::automatic, fill_source(adding(1)));
  std::size_t index = 0;
  int number = 1;
  std::uint64_t generation = 0;
  int in_time = 0;
  for (int attempt = 0; attempt < 40 && in_time < 4; ++attempt) {
    const bool closed_between = in_time % 2 != 0;
    const std::string good = fill_source(adding(++number));
    const auto truncated = Clock::now();
    std::ofstream writer(path("fill.cu"), std::ios::binary | std::ios::trunc);
    if (closed_between) writer.close();
    std::this_thread::sleep_for(milliseconds(50));  // part of the input
    if (closed_between) writer.open(path("fill.cu"), std::ios::binary | std::ios::trunc);
    writer << good;
    writer.close();
    if (Clock::now() - truncated > milliseconds(300)) {
      // Too busy to be the editor that is meant: what was there meanwhile may count.
      EXPECT_TRUE(runtime_->reload());
      index = events_.events().size();
      generation = fill.generation();
      continue;
    }
    ++in_time;
    const ReloadEvent event = events_.await_one(index++);
    EXPECT_EQ(event.kind, Kind::live) << to_string(event);
    EXPECT_EQ(event.generation, ++generation);
    EXPECT_EQ(run(fill, 5), 5 + number);
  }
  EXPECT_EQ(in_time, 4) << "this machine never wrote a file within 300 ms";
  EXPECT_TRUE(runtime_->reload());
  EXPECT_THAT(events_.events(), SizeIs(index));
}

TEST_F(BadEdits, HalfOfTheTextIsReportedOnlyWhenItStaysSo) {
  const Fill fill = start_fill(Mode::automatic, fill_source(adding(1)));
  const std::string good = fill_source(adding(2));
  save("fill.cu", good.substr(0, good.size() / 2));
  EXPECT_EQ(events_.await_one(0).kind, Kind::failed);
  EXPECT_EQ(run(fill, 5), 6);
  save("fill.cu", good);
  EXPECT_EQ(events_.await_one(1).kind, Kind::live);
  EXPECT_EQ(run(fill, 5), 7);
}

// In a process of its own, since the context does not come back.
TEST_F(BadEdits, StoreFarOutOfBoundsEndsTheContextAndTheGenerationThatDidItIsNamed) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto die = [this] {
    const Fill fill = start_fill(Mode::automatic, fill_source(adding(1)));
    const bool was_good = run(fill, 5) == 6;
    save("fill.cu", fill_source(adding(2)));
    const bool went_live = events_.await_one(0).kind == Kind::live;
    save("fill.cu", fill_source("  out[value + (1ll << 40)] = 1;"));
    const bool second = events_.await_one(1).generation == 2;
    static_cast<void>(fill.launch({}, out(), 1));
    driver_->context_synchronize();
    const Status after = fill.launch({}, out(), 1);
    const ReloadEvent lost = events_.await_one(2);
    const bool named = lost.kind == Kind::failed && lost.kernel == "Fill" &&
                       lost.error.message.find("Fill generation 2") != std::string::npos &&
                       lost.error.message.find("context") != std::string::npos;
    save("fill.cu", fill_source(adding(3)));
    const bool stays = !runtime_->reload() && events_.events().size() == 3;
    if (!named) std::fputs(to_string(lost).c_str(), stderr);
    const bool right = was_good && went_live && second && !after && named && stays;
    runtime_.reset();
    remove_folders();
    std::_Exit(right ? 0 : 1);
  };
  EXPECT_EXIT(die(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace cudahot::inputs
