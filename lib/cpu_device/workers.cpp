#include "lib/cpu_device/workers.hpp"

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <list>
#include <mutex>
#include <thread>

#include "lib/cpu_device/block_runner.hpp"
#include "lib/cpu_device/log.hpp"
#include "lib/cpu_device/watchdog.hpp"

namespace cudahot::cpu {
namespace {

// A detached thread that takes no signal but those of its own faults: the host's handlers run on
// the host's threads.
template <typename Function>
void start_thread(Function function) {
  sigset_t blocked;
  sigset_t before;
  ::sigfillset(&blocked);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, time_limit_signal()})
    ::sigdelset(&blocked, own);
  ::pthread_sigmask(SIG_SETMASK, &blocked, &before);
  std::thread(function).detach();
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void run_blocks(Grid& grid) {
  BlockRunner& runner = BlockRunner::of_this_thread();
  const std::uint64_t blocks = grid.blocks();
  while (!grid.cancelled.load(std::memory_order_relaxed)) {
    const std::uint64_t block = grid.next_block.fetch_add(1, std::memory_order_relaxed);
    if (block >= blocks) return;
    const CudahotCpuDim3 index{static_cast<std::uint32_t>(block % grid.grid_size.x),
                               static_cast<std::uint32_t>(block / grid.grid_size.x % grid.grid_size.y),
                               static_cast<std::uint32_t>(block / grid.grid_size.x / grid.grid_size.y)};
    if (std::optional<Fault> fault = runner.run(grid, index)) {
      const std::lock_guard lock(grid.fault_mutex);
      if (grid.fault.code == CUDA_SUCCESS) grid.fault = std::move(*fault);
      grid.cancelled = true;
    }
  }
}

// Helpers for grids of several blocks.
class Pool {
 public:
  static Pool& instance() {
    static Pool& the = *new Pool;
    return the;
  }

  void help_with(Grid& grid) {
    Entry entry{&grid};
    std::unique_lock lock(mutex_);
    start_helpers();
    const auto place = entries_.insert(entries_.end(), &entry);
    lock.unlock();
    work_.notify_all();
    run_blocks(grid);
    lock.lock();
    entries_.erase(place);
    entry.left.wait(lock, [&] { return entry.helpers == 0; });
  }

 private:
  struct Entry {
    Grid* grid;
    int helpers = 0;
    std::condition_variable left{};
    bool worth_joining() const {
      return !grid->cancelled.load(std::memory_order_relaxed) &&
             grid->next_block.load(std::memory_order_relaxed) < grid->blocks();
    }
  };

  void start_helpers() {
    for (const int wanted = std::max(processors() - 1, 1); helpers_ < wanted; ++helpers_) {
      start_thread([this] { help(); });
    }
  }

  void help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      const auto found = std::find_if(entries_.begin(), entries_.end(), [](Entry* e) { return e->worth_joining(); });
      if (found == entries_.end()) {
        work_.wait(lock);
        continue;
      }
      Entry& entry = **found;
      ++entry.helpers;
      lock.unlock();
      run_blocks(*entry.grid);
      lock.lock();
      if (--entry.helpers == 0) entry.left.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_;
  std::list<Entry*> entries_;
  int helpers_ = 0;
};

class StreamThreads {
 public:
  static StreamThreads& instance() {
    static StreamThreads& the = *new StreamThreads;
    return the;
  }

  void run(void (*job)(void*), void* argument) {
    const std::lock_guard lock(mutex_);
    jobs_.push_back({job, argument});
    if (idle_ >= jobs_.size()) {
      work_.notify_one();
      return;
    }
    ++counters().stream_threads;
    start_thread([this] { serve(); });
  }

 private:
  struct Job {
    void (*run)(void*);
    void* argument;
  };

  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      ++idle_;
      work_.wait(lock, [&] { return !jobs_.empty(); });
      --idle_;
      const Job job = jobs_.front();
      jobs_.pop_front();
      lock.unlock();
      job.run(job.argument);
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_;
  std::deque<Job> jobs_;
  std::size_t idle_ = 0;
};

}  // namespace

int processors() {
  constexpr int kMost = 64;  // each may need stacks for a whole block
  static const int count = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMost);
  return count;
}

void run_grid(Grid& grid) {
  if (grid.blocks() == 1) run_blocks(grid);
  else Pool::instance().help_with(grid);
}

void run_on_stream_thread(void (*job)(void*), void* argument) { StreamThreads::instance().run(job, argument); }

}  // namespace cudahot::cpu
