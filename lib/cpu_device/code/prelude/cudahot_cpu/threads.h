// Where a thread is, what threads of a block do together, and what a thread asks of the device.
#pragma once

#include "cudahot_cpu/vectors.h"
#include "lib/cpu_device/module_abi.h"

namespace cudahot_cpu {

// Stored by the device before anything runs.
inline const CudahotCpuServices* services = nullptr;

// Const although it reads memory: a thread stays where it is, so one call a function is enough.
__attribute__((const, noinline)) inline const CudahotCpuThread* self() { return services->current_thread(); }

template <typename Whole, CudahotCpuDim3 CudahotCpuThread::* member>
struct Coordinates {
  __declspec(property(get = get_x)) unsigned int x;
  __declspec(property(get = get_y)) unsigned int y;
  __declspec(property(get = get_z)) unsigned int z;
  unsigned int get_x() const { return (self()->*member).x; }
  unsigned int get_y() const { return (self()->*member).y; }
  unsigned int get_z() const { return (self()->*member).z; }
  operator uint3() const { return {get_x(), get_y(), get_z()}; }
  operator dim3() const { return {get_x(), get_y(), get_z()}; }

  Coordinates() = default;
  Coordinates(const Coordinates&) = delete;
  Coordinates& operator=(const Coordinates&) = delete;
  const Coordinates* operator&() const = delete;
};

// A loop that waits for another thread of the block has a fence or an atomic in it: the other thread gets its turn.
inline void fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  services->yield();
}

[[noreturn]] inline void fault(int kind, const char* message, const char* file, unsigned int line) {
  services->fault(kind, message, file, line);
  __builtin_unreachable();
}

template <typename T>
unsigned long as_print_argument(T value) {
  if constexpr (__is_same(T, float) || __is_same(T, double)) {
    const double wide = value;
    return __builtin_bit_cast(unsigned long, wide);
  } else if constexpr (__is_pointer(T)) {
    return reinterpret_cast<unsigned long>(value);
  } else {
    return static_cast<unsigned long>(value);
  }
}

template <typename... T>
int print(const char* format, T... values) {
  const unsigned long arguments[sizeof...(T) + 1] = {as_print_argument(values)..., 0};
  return services->print(format, arguments, sizeof...(T));
}

}  // namespace cudahot_cpu

static const cudahot_cpu::Coordinates<uint3, &CudahotCpuThread::thread_index> threadIdx;
static const cudahot_cpu::Coordinates<uint3, &CudahotCpuThread::block_index> blockIdx;
static const cudahot_cpu::Coordinates<dim3, &CudahotCpuThread::block_size> blockDim;
static const cudahot_cpu::Coordinates<dim3, &CudahotCpuThread::grid_size> gridDim;
static constexpr int warpSize = 32;

inline void __syncthreads() { cudahot_cpu::services->barrier(0); }
inline int __syncthreads_count(int predicate) {
  return static_cast<int>(cudahot_cpu::services->barrier(predicate != 0 ? 1 : 0));
}
inline int __syncthreads_or(int predicate) { return __syncthreads_count(predicate) != 0; }
inline int __syncthreads_and(int predicate) { return __syncthreads_count(!predicate) == 0; }

inline void __threadfence() { cudahot_cpu::fence(); }
inline void __threadfence_block() { cudahot_cpu::fence(); }
inline void __threadfence_system() { cudahot_cpu::fence(); }

[[noreturn]] inline void __trap(const char* file = __builtin_FILE(), unsigned int line = __builtin_LINE()) {
  cudahot_cpu::fault(CUDAHOT_CPU_FAULT_TRAP, "__trap()", file, line);
}
inline void __brkpt() {}
inline void __nanosleep(unsigned int) { cudahot_cpu::services->yield(); }
inline void __prof_trigger(int) {}

inline long long int clock64() { return static_cast<long long int>(cudahot_cpu::services->clock()); }
typedef long clock_t;
inline clock_t clock() { return static_cast<clock_t>(cudahot_cpu::services->clock()); }

template <typename... T>
int printf(const char* format, T... values) {
  return cudahot_cpu::print(format, values...);
}

#ifdef NDEBUG
#define assert(...) static_cast<void>(0)
#else
#define assert(...)                                      \
  (static_cast<bool>(__VA_ARGS__) ? static_cast<void>(0) \
                                  : ::cudahot_cpu::fault(CUDAHOT_CPU_FAULT_ASSERT, #__VA_ARGS__, __FILE__, __LINE__))
#endif

extern "C" {
inline void* malloc(size_t size) noexcept { return cudahot_cpu::services->allocate(size); }
inline void free(void* memory) noexcept { cudahot_cpu::services->release(memory); }
void* memcpy(void* to, const void* from, size_t size) noexcept;
void* memmove(void* to, const void* from, size_t size) noexcept;
void* memset(void* to, int value, size_t size) noexcept;
int memcmp(const void* a, const void* b, size_t size) noexcept;
}

// The standard library that would define these is not linked.
inline void* operator new(size_t, void* memory) noexcept { return memory; }
inline void* operator new[](size_t, void* memory) noexcept { return memory; }
__attribute__((weak)) void* operator new(size_t size) { return malloc(size); }
__attribute__((weak)) void* operator new[](size_t size) { return malloc(size); }
__attribute__((weak)) void operator delete(void* memory) noexcept { free(memory); }
__attribute__((weak)) void operator delete[](void* memory) noexcept { free(memory); }
__attribute__((weak)) void operator delete(void* memory, size_t) noexcept { free(memory); }
__attribute__((weak)) void operator delete[](void* memory, size_t) noexcept { free(memory); }
extern "C" __attribute__((weak)) void __cxa_pure_virtual() { __trap("pure virtual function", 0); }
