// The swap, on a device.
#include <cstdlib>
#include <set>
#include <thread>

#include <gmock/gmock.h>

#include "tests/device/runtime/hot_engine.hpp"
#include "tests/support/launching_threads.hpp"

namespace cudahot::runtime::testing {
namespace {

using SwapOnDevice = HotEngine;
using cudahot::test_support::LaunchingThreads;
using cudahot::test_support::resident_megabytes;
using cudahot::test_support::Stream;
using cudahot::test_support::used_device_megabytes;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(SwapOnDevice, RunsAnEditOnTheNextLaunchAndKeepsItThroughABadOne) {
  const auto slot = start(Mode::manual);
  ASSERT_NE(slot, nullptr);
  EXPECT_EQ(run(*slot, 5), 5);
  save(adding(100));
  ASSERT_TRUE(engine_->reload());
  EXPECT_EQ(run(*slot, 5), 105);
  save("  *out = ;\n");
  EXPECT_FALSE(engine_->reload());
  EXPECT_EQ(run(*slot, 6), 106);
  save(adding(0));
  ASSERT_TRUE(engine_->reload());
  EXPECT_EQ(run(*slot, 7), 7);
  const auto seen = events();
  ASSERT_THAT(seen, SizeIs(3));
  ASSERT_THAT(seen[1].error.diagnostics, SizeIs(1));
  EXPECT_EQ(seen[1].error.diagnostics[0].location.line, 3u);
  EXPECT_TRUE(seen[2].cached);
}

TEST_F(SwapOnDevice, SwapsAThousandTimesUnderTwoLaunchingThreadsWithoutALostLaunchOrGrowth) {
  constexpr int kTexts = 4;
  constexpr int kSettled = 100;
  constexpr int kSwaps = 1000;
  const auto slot = start(Mode::manual);
  ASSERT_NE(slot, nullptr);
  LaunchingThreads<int> launchers(*driver_, 1, kTexts, [&](CUdeviceptr out, int value, CUstream stream) {
    return launch(*slot, out, value, stream).has_value();
  });
  double host_before = 0;
  double device_before = 0;
  for (int i = 1; i <= kSwaps; ++i) {
    save(adding(i % kTexts));
    const Status reloaded = engine_->reload();
    ASSERT_TRUE(reloaded) << "swap " << i << ": " << reloaded.error().message;
    EXPECT_EQ(run(*slot, 10), 10 + i % kTexts);
    if (i == kSettled) {
      host_before = resident_megabytes();
      device_before = used_device_megabytes(*driver_);
    }
  }
  const double host_growth = resident_megabytes() - host_before;
  const double device_growth = used_device_megabytes(*driver_) - device_before;
  launchers.stop();
  EXPECT_EQ(launchers.failures(), 0u);
  EXPECT_GT(launchers.launches(), 0u);
  EXPECT_EQ(slot->info().generation, static_cast<std::uint64_t>(kSwaps));
  EXPECT_LT(host_growth, 8);
  EXPECT_LT(device_growth, 8);
}

TEST_F(SwapOnDevice, WaitsForTheEndOfACaptureOnAStreamThatSynchronisesWithTheDefaultOne) {
  const auto slot = start(Mode::manual);
  ASSERT_NE(slot, nullptr);
  save(adding(100));
  const Stream stream(*driver_, CU_STREAM_DEFAULT);
  ASSERT_EQ(driver_->stream_begin_capture(stream.get(), CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_SUCCESS);
  const Status waiting = engine_->reload();
  EXPECT_TRUE(launch(*slot, out_, 1, stream.get()));
  CUgraph graph = nullptr;
  EXPECT_EQ(driver_->stream_end_capture(stream.get(), &graph), CUDA_SUCCESS);
  EXPECT_EQ(driver_->graph_destroy(graph), CUDA_SUCCESS);
  ASSERT_FALSE(waiting);
  EXPECT_EQ(waiting.error().code, ErrorCode::busy);
  EXPECT_TRUE(engine_->reload());
  EXPECT_EQ(run(*slot, 5), 105);
}

// Such captures cannot be asked for, but must survive a swap, and the unload in it.
TEST_F(SwapOnDevice, LeavesACaptureOnANonBlockingStreamValid) {
  const auto slot = start(Mode::manual, {1, 1});  // unloads at every swap
  ASSERT_NE(slot, nullptr);
  for (const auto mode :
       {CU_STREAM_CAPTURE_MODE_RELAXED, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL, CU_STREAM_CAPTURE_MODE_GLOBAL}) {
    const Stream stream(*driver_, CU_STREAM_NON_BLOCKING);
    ASSERT_EQ(driver_->stream_begin_capture(stream.get(), mode), CUDA_SUCCESS);
    EXPECT_TRUE(launch(*slot, out_, 1, stream.get()));
    // From another thread, as in automatic mode.
    std::thread([&] {
      for (int i = 1; i <= 3; ++i) {
        save(adding(10 * mode + i));
        static_cast<void>(engine_->reload());
      }
    }).join();
    EXPECT_TRUE(launch(*slot, out_, 1, stream.get())) << "capture mode " << mode;
    CUgraph graph = nullptr;
    EXPECT_EQ(driver_->stream_end_capture(stream.get(), &graph), CUDA_SUCCESS) << "capture mode " << mode;
    if (graph != nullptr) driver_->graph_destroy(graph);
  }
}

TEST_F(SwapOnDevice, LaunchesFromAThreadThatHasNoContext) {
  const auto slot = start(Mode::off);
  ASSERT_NE(slot, nullptr);
  Status launched;
  std::thread([&] { launched = launch(*slot, out_, 1, nullptr); }).join();
  EXPECT_TRUE(launched) << launched.error().message;
}

// In a process of its own, since the context does not come back.
TEST_F(SwapOnDevice, ReportsADeadContextOnceWithTheGenerationThatRan) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto die = [this] {
    const auto slot = start(Mode::manual);
    save("  *reinterpret_cast<volatile int*>(16) = value;\n");
    static_cast<void>(engine_->reload());
    static_cast<void>(launch(*slot, out_, 1, nullptr));
    driver_->context_synchronize();
    static_cast<void>(launch(*slot, out_, 1, nullptr));
    static_cast<void>(launch(*slot, out_, 1, nullptr));
    static_cast<void>(engine_->reload());
    static_cast<void>(engine_->reload());
    const auto seen = events();
    const bool right = seen.size() == 2 && seen[1].error.message.find("Add generation 1") != std::string::npos;
    std::_Exit(right ? 0 : 1);
  };
  EXPECT_EXIT(die(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace cudahot::runtime::testing
