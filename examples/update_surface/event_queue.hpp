// Reload events, handed from cudahot's thread to the one that waits for them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "cudahot/cudahot.hpp"

namespace sample {

class EventQueue {
 public:
  void push(cudahot::ReloadEvent event) {
    {
      const std::lock_guard lock(mutex_);
      events_.push_back(std::move(event));
    }
    arrived_.notify_one();
  }

  // The oldest event, waiting for one; nothing when none came in time.
  std::optional<cudahot::ReloadEvent> pop(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    if (!arrived_.wait_for(lock, patience, [this] { return !events_.empty(); })) return std::nullopt;
    cudahot::ReloadEvent event = std::move(events_.front());
    events_.pop_front();
    return event;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<cudahot::ReloadEvent> events_;
};

}  // namespace sample
