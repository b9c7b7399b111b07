#include "lib/cpu_device/fiber.hpp"

#include <atomic>
#include <cstring>

#include <pthread.h>
#include <sys/mman.h>

#include "lib/cpu_device/fiber_switch.hpp"
#include "lib/cpu_device/sanitizers.hpp"

namespace cudahot::cpu {
namespace {

constexpr std::size_t kPage = 4096;

// Each guard page splits a mapping, and a process may have 65,530: the host needs most of them.
constexpr int kMaxGuards = 12288;
std::atomic<int> guards{0};

struct SavedFrame {
  std::uint32_t mxcsr = 0x1f80;  // the defaults of a new thread
  std::uint16_t x87_control = 0x037f;
  std::uint16_t unused = 0;
  std::uint64_t r15 = 0, r14 = 0, r13 = 0, r12 = 0, rbx = 0, rbp = 0;
  std::uint64_t return_address = 0;
  std::uint64_t end = 0;  // keeps the stack aligned to 16 bytes at the return address
};

}  // namespace

void Fiber::adopt_thread() {
#if CUDAHOT_ASAN
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) == 0) {
    void* low = nullptr;
    ::pthread_attr_getstack(&attributes, &low, &stack_bytes_);
    stack_ = static_cast<std::byte*>(low);
    ::pthread_attr_destroy(&attributes);
  }
#endif
#if CUDAHOT_TSAN
  tsan_fiber_ = ::__tsan_get_current_fiber();
#endif
}

bool Fiber::create(std::size_t stack_bytes, Main main, void* argument) {
  const std::size_t bytes = (stack_bytes + kPage - 1) / kPage * kPage;
  void* mapping = ::mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (mapping == MAP_FAILED) return false;
  mapping_ = static_cast<std::byte*>(mapping);
  stack_ = mapping_ + kPage;
  stack_bytes_ = bytes;
  main_ = main;
  argument_ = argument;
  if (guards.fetch_add(1, std::memory_order_relaxed) < kMaxGuards) {
    guarded_ = ::mprotect(mapping_, kPage, PROT_NONE) == 0;
  }
  if (!guarded_) guards.fetch_sub(1, std::memory_order_relaxed);
  prepare();
  return true;
}

Fiber::~Fiber() {
  if (mapping_ == nullptr) return;
#if CUDAHOT_TSAN
  ::__tsan_destroy_fiber(tsan_fiber_);
#endif
#if CUDAHOT_ASAN
  ASAN_UNPOISON_MEMORY_REGION(stack_, stack_bytes_);
#endif
  ::munmap(mapping_, stack_bytes_ + kPage);
  if (guarded_) guards.fetch_sub(1, std::memory_order_relaxed);
}

void Fiber::prepare() {
  SavedFrame frame;
  frame.r12 = reinterpret_cast<std::uintptr_t>(main_);
  frame.rbx = reinterpret_cast<std::uintptr_t>(argument_);
  frame.return_address = reinterpret_cast<std::uintptr_t>(cudahot_cpu_fiber_start);
  std::byte* at = stack_ + stack_bytes_ - sizeof frame;
  static_assert(sizeof(SavedFrame) == 72);
  at -= 8;  // 80 bytes in all: fiber_start begins with an aligned stack
  std::memcpy(at, &frame, sizeof frame);
  stack_pointer_ = at;
#if CUDAHOT_TSAN
  tsan_fiber_ = ::__tsan_create_fiber(0);
#endif
}

void Fiber::reset() {
#if CUDAHOT_ASAN
  ASAN_UNPOISON_MEMORY_REGION(stack_, stack_bytes_);
  fake_stack_ = nullptr;
#endif
#if CUDAHOT_TSAN
  ::__tsan_destroy_fiber(tsan_fiber_);
#endif
  prepare();
}

#if CUDAHOT_TSAN
__attribute__((no_sanitize("thread")))
#endif
void Fiber::switch_to(Fiber& to) {
#if CUDAHOT_ASAN
  ::__sanitizer_start_switch_fiber(&fake_stack_, to.stack_, to.stack_bytes_);
#endif
#if CUDAHOT_TSAN
  ::__tsan_switch_to_fiber(to.tsan_fiber_, 0);
#endif
  cudahot_cpu_switch(&stack_pointer_, to.stack_pointer_);
#if CUDAHOT_TSAN
  // Coming from a signal handler nobody has told the sanitizer.
  if (::__tsan_get_current_fiber() != tsan_fiber_) ::__tsan_switch_to_fiber(tsan_fiber_, 0);
#endif
#if CUDAHOT_ASAN
  ::__sanitizer_finish_switch_fiber(fake_stack_, nullptr, nullptr);
#endif
}

void Fiber::started() {
#if CUDAHOT_ASAN
  ::__sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
#endif
}

void Fiber::announce_abandoning_switch() const {
#if CUDAHOT_ASAN
  ::__sanitizer_start_switch_fiber(nullptr, stack_, stack_bytes_);
#endif
}

bool Fiber::in_guard(std::uintptr_t address) const {
  const auto low = reinterpret_cast<std::uintptr_t>(mapping_);
  return guarded_ && address >= low && address < low + kPage;
}

}  // namespace cudahot::cpu
