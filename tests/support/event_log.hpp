// Collects a Runtime's events; a test waits for what it expects.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include <gtest/gtest.h>

#include "cudahot/cudahot.hpp"

namespace cudahot::test_support {

// Thread safe.
class EventLog {
 public:
  void add(const ReloadEvent& event) {
    const std::lock_guard lock(mutex_);
    events_.push_back(event);
    changed_.notify_all();
  }

  std::vector<ReloadEvent> events() const {
    const std::lock_guard lock(mutex_);
    return events_;
  }

  // All events, at least `count`; fails the test when they do not come.
  std::vector<ReloadEvent> await(std::size_t count) {
    std::unique_lock lock(mutex_);
    // Only a hang is waited for this long.
    const bool came = changed_.wait_for(lock, std::chrono::seconds(120), [&] { return events_.size() >= count; });
    EXPECT_TRUE(came) << "only " << events_.size() << " of " << count << " events came";
    auto events = events_;
    if (!came) events.resize(count);
    return events;
  }
  ReloadEvent await_one(std::size_t index) { return await(index + 1)[index]; }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<ReloadEvent> events_;
};

}  // namespace cudahot::test_support
