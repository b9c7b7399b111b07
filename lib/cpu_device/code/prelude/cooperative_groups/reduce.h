// Reductions over a tile.
#pragma once

#include "cooperative_groups.h"
#include "cudahot_cpu/math.h"

namespace cooperative_groups {

#define CUDAHOT_CPU_OPERATOR(name, expression)          \
  template <typename T>                                 \
  struct name {                                         \
    T operator()(T a, T b) const { return expression; } \
  };
CUDAHOT_CPU_OPERATOR(plus, a + b)
CUDAHOT_CPU_OPERATOR(less, b < a ? b : a)
CUDAHOT_CPU_OPERATOR(greater, a < b ? b : a)
CUDAHOT_CPU_OPERATOR(bit_and, a& b)
CUDAHOT_CPU_OPERATOR(bit_or, a | b)
CUDAHOT_CPU_OPERATOR(bit_xor, a ^ b)
#undef CUDAHOT_CPU_OPERATOR

// Combines in the order of a butterfly, so that every thread gets the same bits.
template <typename T, typename Operator>
T reduce(const details::tile& group, T value, Operator combine) {
  for (unsigned int lanes = group.num_threads() / 2; lanes > 0; lanes /= 2) {
    value = combine(value, group.shfl_xor(value, static_cast<int>(lanes)));
  }
  return value;
}

}  // namespace cooperative_groups
