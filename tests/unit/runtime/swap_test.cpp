// Swaps under launches: nothing is unloaded that may still run, nothing piles up.
#include <atomic>
#include <condition_variable>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "lib/runtime/launch_records.hpp"
#include "tests/unit/runtime/workbench.hpp"

namespace cudahot::runtime::testing {
namespace {

using Swap = Workbench;

TEST_F(Swap, KeepsABoundedNumberOfLibrariesOverAThousandSwaps) {
  auto& engine = start(Mode::manual, std::nullopt, {8, std::size_t{1} << 30});
  const auto slot = bound();
  for (int i = 1; i <= 1000; ++i) {
    write(edited(fmt::format("out[0] = {} * time;", i)));
    ASSERT_TRUE(engine.reload());
    ASSERT_TRUE(launch(*slot));
  }
  EXPECT_EQ(slot->info().generation, 1000u);
  EXPECT_EQ(driver_.loads(), 1001u);
  EXPECT_LE(driver_.most_live_libraries(), 10u);
  EXPECT_EQ(driver_.synchronisations(), 0u);
}

TEST_F(Swap, UnloadsByBytesToo) {
  auto& engine = start(Mode::manual, std::nullopt, {1000, 4096});
  const auto slot = bound();
  for (int i = 1; i <= 100; ++i) {
    write(edited(fmt::format("out[0] = {} * time;", i)));
    ASSERT_TRUE(engine.reload());
  }
  EXPECT_LE(driver_.live_libraries() * kSource.size(), 4096u + 3 * kSource.size());
}

TEST_F(Swap, NeverSynchronisesTheContextAndUnloadsWhatNobodyLaunchesAnyMore) {
  auto& engine = start(Mode::manual, std::nullopt, {1, 1});
  const auto slot = bound();
  for (int i = 1; i <= 5; ++i) {
    ASSERT_TRUE(launch(*slot));
    write(edited(fmt::format("out[0] = {} * time;", i)));
    ASSERT_TRUE(engine.reload());
  }
  EXPECT_GE(driver_.unloads(), 3u);
  EXPECT_EQ(driver_.synchronisations(), 0u);
}

TEST_F(Swap, KeepsCodeThatACaptureRecordedAndLeavesTheCaptureOpen) {
  auto& engine = start(Mode::manual, std::nullopt, {1, 1});
  const auto slot = bound();
  const auto stream = reinterpret_cast<CUstream>(&engine);
  driver_.capture(stream);
  LaunchConfig config;
  config.stream = stream;
  ASSERT_TRUE(slot->launch(config, nullptr));  // generation 0 is in the graph from here on
  for (int i = 1; i <= 5; ++i) {
    write(edited(fmt::format("out[0] = {} * time;", i)));
    ASSERT_TRUE(engine.reload());
    ASSERT_TRUE(launch(*slot));
  }
  EXPECT_EQ(driver_.live_libraries(), 3u);  // generation 0, the last retired, the current
  driver_.capture(nullptr);
  // The fake driver notes an unload of code that a graph holds, and a synchronisation.
  EXPECT_THAT(driver_.misuses(), ::testing::IsEmpty());
  driver_.forget_graphs();
}

TEST_F(Swap, KeepsCodeThatAThreadIsInTheMiddleOfLaunching) {
  auto& engine = start(Mode::manual, std::nullopt, {1, 1});
  const auto slot = bound();
  std::mutex mutex;
  std::condition_variable changed;
  bool inside = false;
  bool go_on = false;
  std::thread launcher([&] {
    driver_.make_current(driver_.context());
    EXPECT_TRUE(launch(*slot));
  });
  driver_.set_on_launch([&] {
    std::unique_lock lock(mutex);
    inside = true;
    changed.notify_all();
    changed.wait(lock, [&] { return go_on; });
  });
  // The launcher may have passed before the hook was set: launch until one is inside.
  std::thread second([&] {
    driver_.make_current(driver_.context());
    EXPECT_TRUE(launch(*slot));
  });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return inside; });
  }
  for (int i = 1; i <= 10; ++i) {
    write(edited(fmt::format("out[0] = {} * time;", i)));
    ASSERT_TRUE(engine.reload());
  }
  EXPECT_LE(driver_.live_libraries(), 4u);  // the current, the last, and the one in the launch
  {
    const std::lock_guard lock(mutex);
    go_on = true;
  }
  changed.notify_all();
  launcher.join();
  second.join();
}

TEST_F(Swap, LaunchesFromManyThreadsWhileSwapping) {
  auto& engine = start(Mode::manual, std::nullopt, {2, std::size_t{1} << 30});
  const auto slot = bound();
  driver_.keep_launches(false);
  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::vector<std::thread> launchers;
  for (int i = 0; i < 4; ++i) {
    launchers.emplace_back([&] {
      driver_.make_current(driver_.context());
      std::uint64_t generation = 0;
      while (!stop) {
        if (!launch(*slot)) ++failures;
        const std::uint64_t now = slot->info().generation;
        if (now < generation) ++failures;
        generation = now;
      }
    });
  }
  for (int i = 1; i <= 300; ++i) {
    write(edited(fmt::format("out[0] = {} * time;", i)));
    ASSERT_TRUE(engine.reload());
  }
  stop = true;
  for (auto& launcher : launchers) launcher.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(slot->info().generation, 300u);
  EXPECT_LE(driver_.most_live_libraries(), 2u + 2u + 4u);
}

TEST(LaunchRecords, AreReusedByLaterThreads) {
  const std::atomic<const KernelCode*> current{nullptr};
  std::thread([&] { const Pin pin(current); }).join();
  const std::size_t before = launch_record_count();
  for (int i = 0; i < 100; ++i) std::thread([&] { const Pin pin(current); }).join();
  EXPECT_EQ(launch_record_count(), before);
}

TEST(LaunchRecords, HoldWhatAThreadHasPinned) {
  const KernelCode code;
  const std::atomic<const KernelCode*> current{&code};
  EXPECT_FALSE(is_pinned(&code));
  {
    const Pin pin(current);
    EXPECT_EQ(pin.code(), &code);
    EXPECT_TRUE(is_pinned(&code));
  }
  EXPECT_FALSE(is_pinned(&code));
}

}  // namespace
}  // namespace cudahot::runtime::testing
