// Runs blocks: the threads of a block are fibers of one operating system thread.
//
// A thread is started on whatever fiber is running, and only needs one of its own once it waits:
// a kernel without barriers runs on one fiber, without any switch between its threads.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <signal.h>

#include "lib/cpu_device/fiber.hpp"
#include "lib/cpu_device/grid.hpp"
#include "lib/cpu_device/guarded_memory.hpp"
#include "lib/cpu_device/warp.hpp"

namespace cudahot::cpu {

// One per operating system thread that runs blocks.
class BlockRunner {
 public:
  static BlockRunner& of_this_thread();
  // The runner whose fiber is calling; only from code of a kernel.
  static BlockRunner& running();
  // nullptr when the calling thread is not on a fiber. Async-signal safe.
  static BlockRunner* running_or_null();

  std::optional<Fault> run(Grid& grid, CudahotCpuDim3 block_index);

  // What running code asks for (CudahotCpuServices); from the running fiber only.
  const CudahotCpuThread& current_thread() const { return current_->thread; }
  void* dynamic_shared() const;
  std::uint32_t dynamic_shared_bytes() const { return grid_->dynamic_shared_bytes; }
  void* static_shared() const { return static_shared_start_; }
  std::uint32_t barrier(std::uint32_t predicate);
  std::uint32_t warp_exchange(std::uint32_t mask, std::uint64_t value, std::uint64_t* all);
  std::uint32_t active_mask() const;
  void yield();
  // Notes a fault of the running thread; stop() then ends the block, and with it the launch.
  // Two steps: stop() abandons its callers' frames, which must not own anything by then.
  void set_fault(CUresult code, std::string_view text);
  [[noreturn]] void stop();
  const Grid& grid() const { return *grid_; }

  // Around services that the watchdog must not interrupt. Leaving does not return when the block is out of time.
  void enter_service() { in_device_code_.store(false, std::memory_order_relaxed); }
  void leave_service();

  // For the watchdog, from any thread: a number for the block that is running, 0 for none; and its end, by that number.
  std::uint64_t running_block() const;
  void end_block(std::uint64_t block) { block_to_end_.store(block, std::memory_order_relaxed); }
  // Async-signal safe, on the runner's own thread.
  bool can_be_ended() const;

  // From the signal handler: makes the interrupted thread continue in run(), which returns the
  // fault. Async-signal safe.
  void catch_signal(int signal, const siginfo_t& info, void* interrupted);

 private:
  BlockRunner();
  ~BlockRunner();

  bool reserve_shared(const Grid& grid);
  void begin(Grid& grid, CudahotCpuDim3 block_index);
  static void fiber_main(void* fiber);
  void run_threads(ThreadFiber& fiber);
  void end_thread(ThreadFiber& fiber);
  ThreadFiber* take_fiber();
  ThreadFiber* next_fiber();
  // Gives the processor away; returns when `from` is ready again.
  void dispatch(ThreadFiber& from);
  void release_barrier();
  void recycle_fibers();
  std::optional<Fault> signal_fault() const;
  bool out_of_time() const;
  std::string place() const;

  Fiber main_;
  std::vector<std::unique_ptr<ThreadFiber>> fibers_;
  std::vector<ThreadFiber*> idle_;
  std::size_t stack_bytes_ = 0;  // of the fibers there are
  ThreadFiber* current_ = nullptr;

  Grid* grid_ = nullptr;
  CudahotCpuDim3 block_index_{};
  std::uint32_t count_ = 0;  // threads of the block
  std::uint32_t next_ = 0;   // the next to be started
  CudahotCpuDim3 next_index_{};
  std::uint32_t live_ = 0;  // that have not exited
  std::uint32_t predicates_ = 0;
  std::vector<ThreadFiber*> at_barrier_;
  FiberQueue ready_;
  std::array<Warp, kMaxThreads / kWarpSize> warps_;

  // Shared memory lies at their ends.
  GuardedMemory dynamic_shared_;
  GuardedMemory static_shared_;
  std::byte* static_shared_start_ = nullptr;

  std::atomic<std::uint64_t> block_number_{0};  // odd while a block runs
  std::atomic<std::uint64_t> block_to_end_{0};
  std::atomic<bool> in_device_code_{false};

  std::optional<Fault> fault_;
  struct {
    int number = 0;  // 0: none
    int code = 0;
    std::uintptr_t address = 0;
  } signal_;
};

// The stack for signal handlers of the calling thread, and the process's handlers.
void prepare_thread_for_faults();

}  // namespace cudahot::cpu
