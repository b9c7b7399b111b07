// Whether a piece of queued work is done, and when it was.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

namespace cudahot::cpu {

class Ticket {
 public:
  using Clock = std::chrono::steady_clock;

  bool done() const { return done_.load(std::memory_order_acquire) != 0; }
  void wait() const { done_.wait(0, std::memory_order_acquire); }
  void finish() {
    time_ = Clock::now();
    done_.store(1, std::memory_order_release);
    done_.notify_all();
  }
  Clock::time_point time() const { return time_; }  // once done

 private:
  std::atomic<int> done_{0};
  Clock::time_point time_{};
};
using TicketPointer = std::shared_ptr<Ticket>;

}  // namespace cudahot::cpu
