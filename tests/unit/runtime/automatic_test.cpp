// Automatic mode: edits are seen and taken up by themselves.
#include <condition_variable>
#include <filesystem>

#include <gmock/gmock.h>

#include "tests/unit/runtime/workbench.hpp"

namespace cudahot::runtime::testing {
namespace {

using Kind = ReloadEvent::Kind;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using Automatic = Workbench;

TEST_F(Automatic, PutsASavedEditLive) {
  start(Mode::automatic);
  const auto slot = bound();
  write(edited("out[0] = 3 * time;"));
  const ReloadEvent event = log_.await_one(0);
  EXPECT_EQ(event.kind, Kind::live);
  EXPECT_EQ(running(*slot), edited("out[0] = 3 * time;"));
  EXPECT_GT(event.timings.read, 0);
  EXPECT_GE(event.timings.total, event.timings.read + event.timings.load);
}

TEST_F(Automatic, TakesUpASourceThatDiffersFromTheBundle) {
  const std::string bundle(kSource);
  write(edited("out[0] = 2 * time;"));
  start(Mode::automatic, bundle);
  const auto slot = bound();
  EXPECT_EQ(log_.await_one(0).generation, 1u);
  EXPECT_EQ(running(*slot), edited("out[0] = 2 * time;"));
}

TEST_F(Automatic, GoesThroughBadMendedAndUndone) {
  start(Mode::automatic);
  const auto slot = bound();
  write(edited("SYNTAX_ERROR"));
  EXPECT_EQ(log_.await_one(0).kind, Kind::failed);
  write(edited("out[0] = 3 * time;"));
  EXPECT_EQ(log_.await_one(1).kind, Kind::live);
  write(edited("SYNTAX_ERROR"));
  EXPECT_EQ(log_.await_one(2).kind, Kind::failed);
  write(edited("out[0] = 3 * time;"));
  EXPECT_EQ(log_.await_one(3).kind, Kind::restored);
  write(kSource);
  EXPECT_TRUE(log_.await_one(4).cached);
  EXPECT_EQ(slot->info().generation, 2u);
}

TEST_F(Automatic, TellsOnceThatTheSourceIsGoneAndThatItIsBack) {
  start(Mode::automatic);
  const auto slot = bound();
  std::filesystem::rename(path(), path("away.cu"));
  const ReloadEvent gone = log_.await_one(0);
  EXPECT_EQ(gone.kind, Kind::failed);
  EXPECT_EQ(gone.kernel, "Shade");
  EXPECT_THAT(gone.error.message, HasSubstr(path()));
  EXPECT_THAT(gone.error.message, HasSubstr("its kernels go on as they are"));
  EXPECT_EQ(running(*slot), kSource);
  std::filesystem::rename(path("away.cu"), path());
  EXPECT_EQ(log_.await_one(1).kind, Kind::restored);
  std::filesystem::remove(path());
  EXPECT_EQ(log_.await_one(2).kind, Kind::failed);
  write(edited("out[0] = 3 * time;"));
  EXPECT_EQ(log_.await_one(3).kind, Kind::live);
}

TEST_F(Automatic, EndsWithTheNewestOfTextsThatAreSavedQuickly) {
  start(Mode::automatic);
  const auto slot = bound();
  write(edited("out[0] = 1 * time;"));
  write(edited("SYNTAX_ERROR"));
  write(edited("out[0] = 2 * time;"));
  std::size_t events = 0;
  while (running(*slot) != edited("out[0] = 2 * time;") && !HasFailure()) log_.await(++events);
}

TEST_F(Automatic, WaitsForTheEndOfACapture) {
  start(Mode::automatic);
  const auto slot = bound();
  driver_.set_capture(true);
  std::mutex mutex;
  std::condition_variable changed;
  bool built = false;
  compiler_.on_build = [&] {
    const std::lock_guard lock(mutex);
    built = true;
    changed.notify_all();
  };
  write(edited("out[0] = 3 * time;"));
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return built; });
  }
  EXPECT_EQ(running(*slot), kSource);
  driver_.set_capture(false);
  EXPECT_EQ(log_.await_one(0).kind, Kind::live);
  engine_.reset();
}

TEST_F(Automatic, WatchesHeaders) {
  write("inline float f() { return 1; }\n", "shade.cuh");
  write("#include \"shade.cuh\"\n" + std::string(kSource));
  start(Mode::automatic);
  const auto slot = bound();
  write("inline float f() { return 2; }\n", "shade.cuh");
  log_.await(1);
  EXPECT_THAT(running(*slot), HasSubstr("return 2;"));
}

TEST_F(Automatic, WatchesHeadersThatAnEditBringsIn) {
  start(Mode::automatic);
  const auto slot = bound();
  write("inline float f() { return 1; }\n", "new.cuh");
  write("#include \"new.cuh\"\n" + std::string(kSource));
  EXPECT_EQ(log_.await_one(0).kind, Kind::live);
  write("inline float f() { return 2; }\n", "new.cuh");
  EXPECT_EQ(log_.await_one(1).kind, Kind::live);
  EXPECT_THAT(running(*slot), HasSubstr("return 2;"));
}

TEST_F(Automatic, WatchesHeadersThatOnlyAFailedExtractionRead) {
  start(Mode::automatic);
  bound();
  write("broken\n", "broken.cuh");
  write("// EXTRACT_ERROR in broken.cuh\n" + std::string(kSource));
  EXPECT_EQ(log_.await_one(0).kind, Kind::failed);
  write("still broken, but otherwise\n", "broken.cuh");
  EXPECT_EQ(log_.await_one(1).kind, Kind::failed);
}

TEST_F(Automatic, TriesAgainWhenAHeaderAppearsThatAnExtractionMissed) {
  start(Mode::automatic);
  bound();
  compiler_.looked_for = {path("later.cuh")};
  write("// EXTRACT_ERROR no later.cuh\n" + std::string(kSource));
  EXPECT_EQ(log_.await_one(0).kind, Kind::failed);
  write("", "later.cuh");
  EXPECT_EQ(log_.await_one(1).kind, Kind::failed) << "the fake extractor still refuses the source";
  EXPECT_EQ(compiler_.extractions, 2u);
}

TEST_F(Automatic, ExtractsAgainWhenAnAnswerOfHasIncludeChanges) {
  compiler_.looked_for = {path("option.cuh")};
  more_lookups_ = {{path("option.cuh"), false}};
  compiler_.adjust_slice = [&](region::Slice& slice) {
    if (is_there(path("option.cuh"))) slice.text += "// with option\n";
  };
  start(Mode::automatic);
  const auto slot = bound();
  write("", "option.cuh");
  EXPECT_EQ(log_.await_one(0).kind, Kind::live);
  EXPECT_THAT(running(*slot), HasSubstr("with option"));
  std::filesystem::remove(path("option.cuh"));
  EXPECT_EQ(log_.await_one(1).kind, Kind::live);
  EXPECT_EQ(running(*slot), kSource);
}

TEST_F(Automatic, ExtractsAtItsStartWhenAHeaderHasAppearedSinceTheBundleWasMade) {
  compiler_.looked_for = {path("option.cuh")};
  more_lookups_ = {{path("option.cuh"), false}};
  compiler_.adjust_slice = [](region::Slice& slice) { slice.text += "// with option\n"; };
  write("", "option.cuh");
  start(Mode::automatic);
  const auto slot = bound();
  EXPECT_EQ(log_.await_one(0).kind, Kind::live);
  EXPECT_THAT(running(*slot), HasSubstr("with option"));
}

TEST_F(Automatic, RunsWithoutItsSource) {
  const std::string bundle(kSource);
  std::filesystem::remove(path());
  start(Mode::automatic, bundle);
  EXPECT_EQ(running(*bound()), kSource);
  EXPECT_TRUE(engine_->reload());
}

TEST_F(Automatic, ReportsADeadContextOnceFromItsOwnThread) {
  start(Mode::automatic);
  const auto slot = bound();
  driver_.fail_launches(CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_FALSE(launch(*slot));
  EXPECT_FALSE(launch(*slot));
  const ReloadEvent event = log_.await_one(0);
  EXPECT_THAT(event.error.message, HasSubstr("Shade generation 0"));
  EXPECT_EQ(event.kernel, "Shade");
}

TEST_F(Automatic, ReloadsInTheCallersThreadOnRequest) {
  start(Mode::automatic);
  const auto slot = bound();
  write(edited("out[0] = 3 * time;"));
  EXPECT_TRUE(engine_->reload());
  EXPECT_EQ(running(*slot), edited("out[0] = 3 * time;"));
  EXPECT_EQ(slot->info().generation, 1u);  // the watcher's news of the same text make no second one
}

TEST_F(Automatic, EndsWhileAnEditIsBeingCompiled) {
  start(Mode::automatic);
  bound();
  std::mutex mutex;
  std::condition_variable changed;
  bool building = false;
  compiler_.on_build = [&] {
    const std::lock_guard lock(mutex);
    building = true;
    changed.notify_all();
  };
  write(edited("out[0] = 3 * time;"));
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return building; });
  lock.unlock();
  engine_.reset();
}

}  // namespace
}  // namespace cudahot::runtime::testing
