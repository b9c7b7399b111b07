// Warps of a block that is being run: exchanges among lanes.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "lib/cpu_device/fiber.hpp"
#include "lib/cpu_device/grid.hpp"

namespace cudahot::cpu {

struct ThreadFiber : Fiber {
  CudahotCpuThread thread{};     // the thread that runs on it
  bool idle = true;              // runs none
  std::uint32_t result = 0;      // what the wait that ended returns
  std::uint64_t* all = nullptr;  // where an exchange puts the lanes' values; may be nullptr
  std::uint32_t waits_for = 0;   // mask of the exchange it waits for; 0: none
};

// Fibers that can go on, first in first out. Holds at most the threads of one block.
class FiberQueue {
 public:
  FiberQueue() : ring_(kMaxThreads) {}
  bool empty() const { return count_ == 0; }
  void clear() { count_ = 0; }
  void push(ThreadFiber& fiber) {
    ring_[(first_ + count_) % kMaxThreads] = &fiber;
    ++count_;
  }
  ThreadFiber& pop() {
    ThreadFiber& fiber = *ring_[first_];
    first_ = (first_ + 1) % kMaxThreads;
    --count_;
    return fiber;
  }

 private:
  std::vector<ThreadFiber*> ring_;
  std::uint32_t first_ = 0;
  std::uint32_t count_ = 0;
};

class Warp {
 public:
  // Lanes of the block that lie in the warp; the others count as exited.
  void begin(std::uint32_t lanes) {
    exited_ = ~lanes;
    open_count_ = 0;
  }
  std::uint32_t live() const { return ~exited_; }
  bool waits() const { return open_count_ != 0; }

  // The fiber's lane gives its value. true: all lanes of the mask that are left have arrived, the
  // fiber has its result, and the others were pushed to `ready`. false: the fiber has to wait.
  bool arrive(ThreadFiber& fiber, std::uint32_t mask, std::uint64_t value, std::uint64_t* all, FiberQueue& ready);
  // A lane's thread ended: exchanges that only waited for it complete.
  void exit(std::uint32_t lane, FiberQueue& ready);

 private:
  struct Exchange {
    std::uint32_t mask;
    std::uint32_t arrived;
    std::array<std::uint64_t, kWarpSize> values;
    std::array<ThreadFiber*, kWarpSize> fibers;
  };

  bool complete(const Exchange& exchange) const { return (exchange.mask & ~exited_ & ~exchange.arrived) == 0; }
  void finish(std::uint32_t index, const ThreadFiber* running, FiberQueue& ready);

  std::uint32_t exited_ = 0;
  std::vector<Exchange> open_;  // of which the first open_count_ are used
  std::uint32_t open_count_ = 0;
};

}  // namespace cudahot::cpu
