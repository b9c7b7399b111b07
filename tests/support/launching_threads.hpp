// Two threads that launch all the while a test swaps the kernel under them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "tests/support/test_device.hpp"

namespace cudahot::test_support {

// Each thread has a stream and memory of `count` values of its own. `launch(out, kValue, stream)` runs a kernel that
// sets the last of them to between kValue and kValue + `texts` - 1, and says whether that could be done.
template <typename Value>
class LaunchingThreads {
 public:
  using Launch = std::function<bool(CUdeviceptr out, Value value, CUstream stream)>;
  static constexpr Value kValue = 1000;

  // In the calling thread's context.
  LaunchingThreads(const cuda::DriverTable& driver, std::size_t count, int texts, Launch launch)
      : driver_(driver), count_(count), texts_(texts), launch_(std::move(launch)) {
    EXPECT_EQ(driver_.context_get_current(&context_), CUDA_SUCCESS);
    for (std::thread& thread : threads_) thread = std::thread([this] { run(); });
  }
  ~LaunchingThreads() { stop(); }
  LaunchingThreads(const LaunchingThreads&) = delete;
  LaunchingThreads& operator=(const LaunchingThreads&) = delete;

  void stop() {
    stop_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }

  std::uint64_t launches() const { return launches_; }
  // Of launches, and of what is around them.
  std::uint64_t failures() const { return failures_; }

 private:
  void run() {
    expect(driver_.context_set_current(context_) == CUDA_SUCCESS);
    const Stream stream(driver_, CU_STREAM_NON_BLOCKING);
    CUdeviceptr out = 0;
    expect(driver_.memory_allocate(&out, count_ * sizeof(Value)) == CUDA_SUCCESS);
    while (!stop_) {
      Value last = -1;
      expect(launch_(out, kValue, stream.get()));
      expect(driver_.stream_synchronize(stream.get()) == CUDA_SUCCESS);
      expect(driver_.copy_to_host(&last, out + (count_ - 1) * sizeof(Value), sizeof(Value)) == CUDA_SUCCESS);
      expect(last >= kValue && last < kValue + static_cast<Value>(texts_));
      ++launches_;
    }
    driver_.memory_free(out);
  }

  void expect(bool right) {
    if (!right) ++failures_;
  }

  const cuda::DriverTable& driver_;
  std::size_t count_;
  int texts_;
  Launch launch_;
  CUcontext context_ = nullptr;
  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> launches_{0};
  std::atomic<std::uint64_t> failures_{0};
  std::array<std::thread, 2> threads_;
};

}  // namespace cudahot::test_support
