#include "lib/cpu_device/block_runner.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "lib/cpu_device/watchdog.hpp"

namespace cudahot::cpu {
namespace {

// The library is loaded at run time, but this one word fits the reserve for such libraries.
__attribute__((tls_model("initial-exec"))) thread_local BlockRunner* running_runner = nullptr;

std::string time_limit_text() {
  return fmt::format("its block still runs after {} s, the limit (CUDAHOT_CPU_TIMEOUT)",
                     std::chrono::duration<double>(time_limit()).count());
}

std::string to_string(const CudahotCpuDim3& at) { return fmt::format("({}, {}, {})", at.x, at.y, at.z); }

}  // namespace

BlockRunner& BlockRunner::of_this_thread() {
  // A thread that runs blocks never ends, except with the process.
  static thread_local BlockRunner* const the = new BlockRunner;
  return *the;
}

BlockRunner& BlockRunner::running() { return *running_runner; }
BlockRunner* BlockRunner::running_or_null() { return running_runner; }

BlockRunner::BlockRunner() {
  main_.adopt_thread();
  prepare_thread_for_faults();
  watch(*this);
  at_barrier_.reserve(kMaxThreads);
  idle_.reserve(kMaxThreads);
}

BlockRunner::~BlockRunner() = default;

bool BlockRunner::reserve_shared(const Grid& grid) {
  const auto [bytes, alignment] = grid.static_shared;
  if (!dynamic_shared_.reserve(kMaxDynamicSharedOptIn) || !static_shared_.reserve(bytes + alignment)) return false;
  const std::size_t slack = (reinterpret_cast<std::uintptr_t>(static_shared_.end()) - bytes) % alignment;
  static_shared_start_ = static_shared_.end() - bytes - slack;
  return true;
}

void BlockRunner::begin(Grid& grid, CudahotCpuDim3 block_index) {
  grid_ = &grid;
  block_index_ = block_index;
  count_ = grid.threads();
  next_ = 0;
  next_index_ = {};
  live_ = count_;
  predicates_ = 0;
  at_barrier_.clear();
  ready_.clear();
  for (std::uint32_t warp = 0; warp * kWarpSize < count_; ++warp) {
    const std::uint32_t lanes = std::min(count_ - warp * kWarpSize, kWarpSize);
    warps_[warp].begin(lanes == kWarpSize ? ~0U : (1U << lanes) - 1);
  }
  fault_.reset();
  signal_ = {};
  if (stack_bytes_ != grid.stack_bytes) {
    idle_.clear();
    fibers_.clear();
    stack_bytes_ = grid.stack_bytes;
  }
}

std::optional<Fault> BlockRunner::run(Grid& grid, CudahotCpuDim3 block_index) {
  begin(grid, block_index);
  ThreadFiber* first = reserve_shared(grid) ? take_fiber() : nullptr;
  if (first == nullptr) return Fault{CUDA_ERROR_OUT_OF_MEMORY, "no memory for the stacks and shared memory of a block"};
  current_ = first;
  running_runner = this;
  block_number_.fetch_add(1, std::memory_order_relaxed);
  main_.switch_to(*first);
  block_number_.fetch_add(1, std::memory_order_relaxed);
  running_runner = nullptr;
  in_device_code_.store(false, std::memory_order_relaxed);
  if (signal_.number != 0) fault_ = signal_fault();
  if (fault_ || live_ != 0) recycle_fibers();
  return std::move(fault_);
}

// Fibers that were left in the middle of something start afresh.
void BlockRunner::recycle_fibers() {
  for (const auto& fiber : fibers_) {
    if (fiber->idle) continue;
    fiber->reset();
    fiber->idle = true;
    idle_.push_back(fiber.get());
  }
}

ThreadFiber* BlockRunner::take_fiber() {
  if (idle_.empty()) {
    auto fiber = std::make_unique<ThreadFiber>();
    if (!fiber->create(stack_bytes_, &BlockRunner::fiber_main, fiber.get())) return nullptr;
    fibers_.push_back(std::move(fiber));
    idle_.push_back(fibers_.back().get());
  }
  ThreadFiber* fiber = idle_.back();
  idle_.pop_back();
  fiber->idle = false;
  fiber->waits_for = 0;
  return fiber;
}

void BlockRunner::fiber_main(void* argument) {
  Fiber::started();
  auto& fiber = *static_cast<ThreadFiber*>(argument);
  for (;;) {
    BlockRunner& runner = *running_runner;
    runner.run_threads(fiber);
    fiber.idle = true;
    runner.idle_.push_back(&fiber);
    runner.dispatch(fiber);
  }
}

void BlockRunner::run_threads(ThreadFiber& fiber) {
  const CudahotCpuDim3 size = grid_->block_size;
  CudahotCpuThread& thread = fiber.thread;
  thread.block_index = block_index_;
  thread.block_size = size;
  thread.grid_size = grid_->grid_size;
  while (next_ < count_) {
    thread.thread_index = next_index_;
    thread.linear_thread = next_;
    thread.lane = next_ % kWarpSize;
    thread.warp = next_ / kWarpSize;
    ++next_;
    if (++next_index_.x == size.x) {
      next_index_.x = 0;
      if (++next_index_.y == size.y) {
        next_index_.y = 0;
        ++next_index_.z;
      }
    }
    in_device_code_.store(true, std::memory_order_relaxed);
    grid_->kernel->entry(grid_->arguments);
    in_device_code_.store(false, std::memory_order_relaxed);
    end_thread(fiber);
  }
}

void BlockRunner::end_thread(ThreadFiber& fiber) {
  --live_;
  warps_[fiber.thread.warp].exit(fiber.thread.lane, ready_);
  if (!at_barrier_.empty() && at_barrier_.size() == live_) release_barrier();
}

ThreadFiber* BlockRunner::next_fiber() {
  if (grid_->cancelled.load(std::memory_order_relaxed)) return nullptr;
  if (next_ < count_) {
    ThreadFiber* fiber = take_fiber();
    if (fiber == nullptr) {
      fault_ =
          Fault{CUDA_ERROR_OUT_OF_MEMORY, fmt::format("no memory for the stacks of block {}", to_string(block_index_))};
    }
    return fiber;
  }
  if (!ready_.empty()) return &ready_.pop();
  if (live_ == 0) return nullptr;
  std::string waiting;
  std::uint32_t exchanging = 0;
  for (const auto& fiber : fibers_) {
    if (fiber->idle || fiber->waits_for == 0) continue;
    if (exchanging++ == 0) {
      waiting = fmt::format(", the first of them thread {} with mask {:#010x}", to_string(fiber->thread.thread_index),
                            fiber->waits_for);
    }
  }
  fault_ = Fault{CUDA_ERROR_LAUNCH_FAILED,
                 fmt::format("deadlock in block {}: {} of {} threads have not ended and none can go on; {} wait at "
                             "__syncthreads, {} for other lanes of their warp{}",
                             to_string(block_index_), live_, count_, at_barrier_.size(), exchanging, waiting)};
  return nullptr;
}

void BlockRunner::dispatch(ThreadFiber& from) {
  ThreadFiber* to = next_fiber();
  if (to == &from) return;
  if (to == nullptr) {
    from.switch_to(main_);
  } else {
    current_ = to;
    from.switch_to(*to);
  }
}

std::uint32_t BlockRunner::barrier(std::uint32_t predicate) {
  ThreadFiber& self = *current_;
  predicates_ += predicate != 0 ? 1U : 0U;
  at_barrier_.push_back(&self);
  if (at_barrier_.size() == live_) {
    at_barrier_.pop_back();
    const std::uint32_t count = predicates_;
    release_barrier();
    return count;
  }
  dispatch(self);
  return self.result;
}

void BlockRunner::release_barrier() {
  for (ThreadFiber* fiber : at_barrier_) {
    fiber->result = predicates_;
    ready_.push(*fiber);
  }
  at_barrier_.clear();
  predicates_ = 0;
}

std::uint32_t BlockRunner::warp_exchange(std::uint32_t mask, std::uint64_t value, std::uint64_t* all) {
  ThreadFiber& self = *current_;
  if ((mask >> self.thread.lane & 1U) == 0) {
    set_fault(CUDA_ERROR_LAUNCH_FAILED,
              fmt::format("lane {} calls a warp function with mask {:#010x}, which does not name it", self.thread.lane,
                          mask));
    stop();
  }
  if (!warps_[self.thread.warp].arrive(self, mask, value, all, ready_)) dispatch(self);
  return self.result;
}

std::uint32_t BlockRunner::active_mask() const { return warps_[current_->thread.warp].live(); }

void BlockRunner::yield() {
  ready_.push(*current_);
  dispatch(*current_);
}

void* BlockRunner::dynamic_shared() const {
  const std::size_t bytes = (std::size_t{grid_->dynamic_shared_bytes} + 15) / 16 * 16;
  return dynamic_shared_.end() - bytes;
}

std::string BlockRunner::place() const {
  return fmt::format("thread {} of block {}", to_string(current_->thread.thread_index), to_string(block_index_));
}

void BlockRunner::set_fault(CUresult code, std::string_view text) {
  fault_ = Fault{code, fmt::format("{}: {}", place(), text)};
}

void BlockRunner::stop() {
  current_->switch_to(main_);
  std::abort();  // an abandoned fiber is never continued
}

std::uint64_t BlockRunner::running_block() const {
  const std::uint64_t number = block_number_.load(std::memory_order_relaxed);
  return number % 2 == 1 ? number : 0;
}

bool BlockRunner::out_of_time() const { return block_to_end_.load(std::memory_order_relaxed) == running_block(); }

bool BlockRunner::can_be_ended() const { return in_device_code_.load(std::memory_order_relaxed) && out_of_time(); }

void BlockRunner::leave_service() {
  if (out_of_time()) {
    set_fault(CUDA_ERROR_LAUNCH_TIMEOUT, time_limit_text());
    stop();
  }
  in_device_code_.store(true, std::memory_order_relaxed);
}

std::optional<Fault> BlockRunner::signal_fault() const {
  const auto fault = [&](CUresult code, std::string_view text) {
    return Fault{code, fmt::format("{}: {}", place(), text)};
  };
  if (signal_.number == time_limit_signal()) return fault(CUDA_ERROR_LAUNCH_TIMEOUT, time_limit_text());
  switch (signal_.number) {
    case SIGFPE:
      return fault(CUDA_ERROR_LAUNCH_FAILED, "integer division by zero");
    case SIGILL:
      return fault(CUDA_ERROR_ILLEGAL_INSTRUCTION, "illegal instruction");
    default:
      break;
  }
  if (current_->in_guard(signal_.address)) {
    return fault(CUDA_ERROR_HARDWARE_STACK_ERROR,
                 fmt::format("stack overflow (a thread has {} bytes, see CU_LIMIT_STACK_SIZE)", stack_bytes_));
  }
  // Of an address that is not canonical the processor does not tell the value.
  if (signal_.code == SI_KERNEL) return fault(CUDA_ERROR_ILLEGAL_ADDRESS, "illegal address");
  return fault(CUDA_ERROR_ILLEGAL_ADDRESS, fmt::format("illegal address {:#x}", signal_.address));
}

}  // namespace cudahot::cpu
