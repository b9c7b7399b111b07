// Atomic functions. Every scope is that of the machine; orders are relaxed, as on a GPU.
#pragma once

#include "cudahot_cpu/threads.h"

namespace cudahot_cpu {

template <typename T, typename Change>
T change_atomically(T* address, Change change) {
  T old;
  __atomic_load(address, &old, __ATOMIC_RELAXED);
  for (;;) {
    T next = change(old);
    if (__atomic_compare_exchange(address, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
  }
}

}  // namespace cudahot_cpu

// A function for each type that CUDA has it for, in each scope.
#define CUDAHOT_CPU_ATOMIC_IN_SCOPE(name, T, expression)                                        \
  inline T name(T* address, T value) {                                                          \
    return cudahot_cpu::change_atomically(address, [value](T old) -> T { return expression; }); \
  }
#define CUDAHOT_CPU_ATOMIC(name, T, expression)            \
  CUDAHOT_CPU_ATOMIC_IN_SCOPE(name, T, expression)         \
  CUDAHOT_CPU_ATOMIC_IN_SCOPE(name##_block, T, expression) \
  CUDAHOT_CPU_ATOMIC_IN_SCOPE(name##_system, T, expression)
#define CUDAHOT_CPU_ATOMIC_FETCH_IN_SCOPE(name, T, operation) \
  inline T name(T* address, T value) { return __atomic_fetch_##operation(address, value, __ATOMIC_RELAXED); }
#define CUDAHOT_CPU_ATOMIC_FETCH(name, T, operation)            \
  CUDAHOT_CPU_ATOMIC_FETCH_IN_SCOPE(name, T, operation)         \
  CUDAHOT_CPU_ATOMIC_FETCH_IN_SCOPE(name##_block, T, operation) \
  CUDAHOT_CPU_ATOMIC_FETCH_IN_SCOPE(name##_system, T, operation)

#define CUDAHOT_CPU_ATOMIC_INTEGER(T)                         \
  CUDAHOT_CPU_ATOMIC_FETCH(atomicAdd, T, add)                 \
  CUDAHOT_CPU_ATOMIC_FETCH(atomicAnd, T, and)                 \
  CUDAHOT_CPU_ATOMIC_FETCH(atomicOr, T, or)                   \
  CUDAHOT_CPU_ATOMIC_FETCH(atomicXor, T, xor)                 \
  CUDAHOT_CPU_ATOMIC(atomicMin, T, value < old ? value : old) \
  CUDAHOT_CPU_ATOMIC(atomicMax, T, old < value ? value : old)
CUDAHOT_CPU_ATOMIC_INTEGER(int)
CUDAHOT_CPU_ATOMIC_INTEGER(unsigned int)
CUDAHOT_CPU_ATOMIC_INTEGER(long)
CUDAHOT_CPU_ATOMIC_INTEGER(unsigned long)
CUDAHOT_CPU_ATOMIC_INTEGER(long long)
CUDAHOT_CPU_ATOMIC_INTEGER(unsigned long long)
#undef CUDAHOT_CPU_ATOMIC_INTEGER
CUDAHOT_CPU_ATOMIC_FETCH(atomicSub, int, sub)
CUDAHOT_CPU_ATOMIC_FETCH(atomicSub, unsigned int, sub)
CUDAHOT_CPU_ATOMIC(atomicAdd, float, old + value)
CUDAHOT_CPU_ATOMIC(atomicAdd, double, old + value)
CUDAHOT_CPU_ATOMIC(atomicInc, unsigned int, old >= value ? 0u : old + 1u)
CUDAHOT_CPU_ATOMIC(atomicDec, unsigned int, old == 0u || old > value ? value : old - 1u)
#undef CUDAHOT_CPU_ATOMIC_FETCH_IN_SCOPE
#undef CUDAHOT_CPU_ATOMIC_FETCH

// atomicExch takes 4 and 8 bytes; atomicCAS 2, 4 and 8. One that leaves the value as it was may be that of a loop which
// waits for a thread of the block.
#define CUDAHOT_CPU_EXCHANGE_IN_SCOPE(suffix)                                                               \
  template <typename T>                                                                                     \
  T atomicExch##suffix(T* address, cudahot_cpu::Same<T> value) {                                            \
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomicExch exchanges 4 or 8 bytes");                   \
    T old;                                                                                                  \
    __atomic_exchange(address, &value, &old, __ATOMIC_RELAXED);                                             \
    if (__builtin_memcmp(&old, &value, sizeof(T)) == 0) cudahot_cpu::services->yield();                     \
    return old;                                                                                             \
  }                                                                                                         \
  template <typename T>                                                                                     \
  T atomicCAS##suffix(T* address, cudahot_cpu::Same<T> compare, cudahot_cpu::Same<T> value) {               \
    static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "atomicCAS takes 2, 4 or 8 bytes");   \
    if (!__atomic_compare_exchange(address, &compare, &value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) { \
      cudahot_cpu::services->yield();                                                                       \
    }                                                                                                       \
    return compare;                                                                                         \
  }
CUDAHOT_CPU_EXCHANGE_IN_SCOPE()
CUDAHOT_CPU_EXCHANGE_IN_SCOPE(_block)
CUDAHOT_CPU_EXCHANGE_IN_SCOPE(_system)
#undef CUDAHOT_CPU_EXCHANGE_IN_SCOPE
