// Scans over a tile.
#pragma once

#include "cooperative_groups/reduce.h"

namespace cooperative_groups {

template <typename T, typename Operator>
T inclusive_scan(const details::tile& group, T value, Operator combine) {
  for (unsigned int delta = 1; delta < group.num_threads(); delta *= 2) {
    const T before = group.shfl_up(value, delta);
    if (group.thread_rank() >= delta) value = combine(before, value);
  }
  return value;
}
template <typename T>
T inclusive_scan(const details::tile& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}
// The first thread gets T(), as the toolkit's does for a sum.
template <typename T, typename Operator>
T exclusive_scan(const details::tile& group, T value, Operator combine) {
  const T before = group.shfl_up(inclusive_scan(group, value, combine), 1);
  return group.thread_rank() == 0 ? T() : before;
}
template <typename T>
T exclusive_scan(const details::tile& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
