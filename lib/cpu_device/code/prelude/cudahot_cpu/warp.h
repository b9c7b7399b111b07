// Shuffles, votes, match and reductions of a warp, all made from one exchange of 8 bytes a lane.
#pragma once

#include "cudahot_cpu/threads.h"

namespace cudahot_cpu {

constexpr unsigned int kWholeWarp = 0xffffffffu;

struct Exchange {
  unsigned long all[32];
  unsigned int took_part;

  bool has(unsigned int lane) const { return lane < 32 && ((took_part >> lane) & 1) != 0; }
};

inline Exchange exchange(unsigned int mask, unsigned long value) {
  Exchange result;
  result.took_part = services->warp_exchange(mask, value, result.all);
  return result;
}

template <typename T>
unsigned long to_bits(const T& value) {
  static_assert(sizeof(T) <= 8, "a warp exchanges values of at most 8 bytes");
  unsigned long bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <typename T>
T from_bits(unsigned long bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

// The value of lane `source`; a lane that takes no part gives the caller's own (on a GPU: undefined).
template <typename T>
T take(const Exchange& exchanged, unsigned int source, T own) {
  return exchanged.has(source) ? from_bits<T>(exchanged.all[source]) : own;
}

template <typename T, typename Combine>
T combine_lanes(unsigned int mask, T value, Combine combine) {
  const Exchange exchanged = exchange(mask, to_bits(value));
  bool first = true;
  T result = value;
  for (unsigned int lane = 0; lane < 32; ++lane) {
    if (!exchanged.has(lane)) continue;
    const T next = from_bits<T>(exchanged.all[lane]);
    result = first ? next : combine(result, next);
    first = false;
  }
  return result;
}

inline unsigned int ballot(unsigned int mask, bool predicate) {
  const Exchange exchanged = exchange(mask, predicate ? 1 : 0);
  unsigned int result = 0;
  for (unsigned int lane = 0; lane < 32; ++lane) {
    if (exchanged.has(lane) && exchanged.all[lane] != 0) result |= 1u << lane;
  }
  return result;
}

}  // namespace cudahot_cpu

inline void __syncwarp(unsigned int mask = cudahot_cpu::kWholeWarp) { cudahot_cpu::exchange(mask, 0); }
inline unsigned int __activemask() { return cudahot_cpu::services->active_mask(); }

template <typename T>
T __shfl_sync(unsigned int mask, T value, int source, int width = 32) {
  const auto exchanged = cudahot_cpu::exchange(mask, cudahot_cpu::to_bits(value));
  const unsigned int segment = cudahot_cpu::self()->lane & ~static_cast<unsigned int>(width - 1);
  return cudahot_cpu::take(exchanged,
                           segment | (static_cast<unsigned int>(source) & static_cast<unsigned int>(width - 1)), value);
}
template <typename T>
T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {
  const auto exchanged = cudahot_cpu::exchange(mask, cudahot_cpu::to_bits(value));
  const unsigned int lane = cudahot_cpu::self()->lane;
  const unsigned int position = lane & static_cast<unsigned int>(width - 1);
  return delta > position ? value : cudahot_cpu::take(exchanged, lane - delta, value);
}
template <typename T>
T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32) {
  const auto exchanged = cudahot_cpu::exchange(mask, cudahot_cpu::to_bits(value));
  const unsigned int lane = cudahot_cpu::self()->lane;
  const unsigned int left = static_cast<unsigned int>(width - 1) - (lane & static_cast<unsigned int>(width - 1));
  return delta > left ? value : cudahot_cpu::take(exchanged, lane + delta, value);
}
// A lane may read from an earlier segment of `width` lanes, not from a later one.
template <typename T>
T __shfl_xor_sync(unsigned int mask, T value, int lanes, int width = 32) {
  const auto exchanged = cudahot_cpu::exchange(mask, cudahot_cpu::to_bits(value));
  const unsigned int lane = cudahot_cpu::self()->lane;
  const unsigned int source = lane ^ static_cast<unsigned int>(lanes);
  const unsigned int last = lane | static_cast<unsigned int>(width - 1);
  return source > last ? value : cudahot_cpu::take(exchanged, source, value);
}

inline unsigned int __ballot_sync(unsigned int mask, int predicate) {
  return cudahot_cpu::ballot(mask, predicate != 0);
}
inline int __any_sync(unsigned int mask, int predicate) { return cudahot_cpu::ballot(mask, predicate != 0) != 0; }
inline int __all_sync(unsigned int mask, int predicate) { return cudahot_cpu::ballot(mask, predicate == 0) == 0; }
inline int __uni_sync(unsigned int mask, int predicate) {
  const auto exchanged = cudahot_cpu::exchange(mask, predicate != 0 ? 1 : 0);
  for (unsigned int lane = 0; lane < 32; ++lane) {
    if (exchanged.has(lane) && exchanged.all[lane] != (predicate != 0 ? 1u : 0u)) return 0;
  }
  return 1;
}

template <typename T>
unsigned int __match_any_sync(unsigned int mask, T value) {
  const unsigned long own = cudahot_cpu::to_bits(value);
  const auto exchanged = cudahot_cpu::exchange(mask, own);
  unsigned int equal = 0;
  for (unsigned int lane = 0; lane < 32; ++lane) {
    if (exchanged.has(lane) && exchanged.all[lane] == own) equal |= 1u << lane;
  }
  return equal;
}
template <typename T>
unsigned int __match_all_sync(unsigned int mask, T value, int* all_equal) {
  const unsigned long own = cudahot_cpu::to_bits(value);
  const auto exchanged = cudahot_cpu::exchange(mask, own);
  for (unsigned int lane = 0; lane < 32; ++lane) {
    if (exchanged.has(lane) && exchanged.all[lane] != own) {
      *all_equal = 0;
      return 0;
    }
  }
  *all_equal = 1;
  return exchanged.took_part;
}

#define CUDAHOT_CPU_REDUCE(name, T, expression)                                               \
  inline T __reduce_##name##_sync(unsigned int mask, T value) {                               \
    return cudahot_cpu::combine_lanes(mask, value, [](T a, T b) -> T { return expression; }); \
  }
CUDAHOT_CPU_REDUCE(add, unsigned int, a + b)
CUDAHOT_CPU_REDUCE(add, int, static_cast<int>(static_cast<unsigned int>(a) + static_cast<unsigned int>(b)))
CUDAHOT_CPU_REDUCE(min, unsigned int, b < a ? b : a)
CUDAHOT_CPU_REDUCE(min, int, b < a ? b : a)
CUDAHOT_CPU_REDUCE(max, unsigned int, a < b ? b : a)
CUDAHOT_CPU_REDUCE(max, int, a < b ? b : a)
CUDAHOT_CPU_REDUCE(and, unsigned int, a& b)
CUDAHOT_CPU_REDUCE(or, unsigned int, a | b)
CUDAHOT_CPU_REDUCE(xor, unsigned int, a ^ b)
#undef CUDAHOT_CPU_REDUCE
