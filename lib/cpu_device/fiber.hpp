// Fibers: stacks that one operating system thread switches between. What runs on them is
// block_runner.hpp's business.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cudahot::cpu {

// One stack with its saved stack pointer. Belongs to the thread that made it, and never moves.
class Fiber {
 public:
  using Main = void (*)(void* argument);  // must not return

  Fiber() = default;
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  // Makes this the fiber that stands for the calling thread's own stack.
  void adopt_thread();
  // Maps a stack with a guard page below. false: no memory.
  bool create(std::size_t stack_bytes, Main main, void* argument);
  // Forgets what the fiber was doing: the next switch starts `main` afresh.
  void reset();

  // Continues `to`; returns when something switches back to this one, which must be running.
  void switch_to(Fiber& to);
  // To be called first in main.
  static void started();
  // For a signal handler, before it continues `*this` through saved_stack_pointer(): nothing
  // will come back to the fiber that was interrupted.
  void announce_abandoning_switch() const;
  void* saved_stack_pointer() const { return stack_pointer_; }

  bool in_guard(std::uintptr_t address) const;

 private:
  void prepare();

  void* stack_pointer_ = nullptr;
  std::byte* mapping_ = nullptr;  // guard page, then the stack; nullptr for a thread's own stack
  std::byte* stack_ = nullptr;
  std::size_t stack_bytes_ = 0;
  bool guarded_ = false;
  Main main_ = nullptr;
  void* argument_ = nullptr;
  void* fake_stack_ = nullptr;  // AddressSanitizer's
  void* tsan_fiber_ = nullptr;  // ThreadSanitizer's
};

}  // namespace cudahot::cpu
