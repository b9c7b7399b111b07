// Cooperative groups: the thread block, and tiles of up to 32 threads of it.
#pragma once

#include "cudahot_cpu/warp.h"

namespace cooperative_groups {

class thread_block {
 public:
  static void sync() { __syncthreads(); }
  static unsigned int thread_rank() { return cudahot_cpu::self()->linear_thread; }
  static unsigned int num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned int size() { return num_threads(); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};

inline thread_block this_thread_block() { return {}; }

// The blocks of a launch: where a thread is in it. They do not run at one time, so they cannot wait for each other.
class grid_group {
 public:
  static bool is_valid() { return false; }
  static unsigned long long thread_rank() {
    return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
  }
  static unsigned long long num_threads() { return num_blocks() * thread_block::num_threads(); }
  static unsigned long long size() { return num_threads(); }
  static unsigned long long block_rank() {
    return blockIdx.x + gridDim.x * (blockIdx.y + 1ull * gridDim.y * blockIdx.z);
  }
  static unsigned long long num_blocks() { return 1ull * gridDim.x * gridDim.y * gridDim.z; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 group_dim() { return gridDim; }
  static dim3 block_index() { return blockIdx; }
  template <int none = 0>
  void sync() const {
    static_assert(none != 0, "the CPU device cannot synchronise the blocks of a grid");
  }
};

inline grid_group this_grid() { return {}; }

namespace details {

// `count` neighbouring lanes of the warp: number `rank` of the `groups` that its parent was partitioned into.
class tile {
 public:
  explicit tile(unsigned int count, unsigned int rank = 0, unsigned int groups = 1)
      : count_(count), rank_(rank), groups_(groups) {}

  void sync() const { __syncwarp(mask()); }
  unsigned int thread_rank() const { return cudahot_cpu::self()->lane & (count_ - 1); }
  unsigned int num_threads() const { return count_; }
  unsigned int size() const { return count_; }
  unsigned int meta_group_size() const { return groups_; }
  unsigned int meta_group_rank() const { return rank_; }

  template <typename T>
  T shfl(T value, int source) const {
    return __shfl_sync(mask(), value, source, width());
  }
  template <typename T>
  T shfl_up(T value, unsigned int delta) const {
    return __shfl_up_sync(mask(), value, delta, width());
  }
  template <typename T>
  T shfl_down(T value, unsigned int delta) const {
    return __shfl_down_sync(mask(), value, delta, width());
  }
  template <typename T>
  T shfl_xor(T value, int lanes) const {
    return __shfl_xor_sync(mask(), value, lanes, width());
  }
  int any(int predicate) const { return __any_sync(mask(), predicate); }
  int all(int predicate) const { return __all_sync(mask(), predicate); }
  unsigned int ballot(int predicate) const { return __ballot_sync(mask(), predicate) >> first_lane(); }
  template <typename T>
  unsigned int match_any(T value) const {
    return __match_any_sync(mask(), value) >> first_lane();
  }
  template <typename T>
  unsigned int match_all(T value, int& equal) const {
    return __match_all_sync(mask(), value, &equal) >> first_lane();
  }

  unsigned int mask() const { return (count_ == 32 ? 0xffffffffu : (1u << count_) - 1) << first_lane(); }
  unsigned int first_lane() const { return cudahot_cpu::self()->lane & ~(count_ - 1); }
  int width() const { return static_cast<int>(count_); }

 private:
  unsigned int count_;
  unsigned int rank_;
  unsigned int groups_;
};

}  // namespace details

template <unsigned int count, typename Parent = void>
class thread_block_tile : public details::tile {
  static_assert(count == 1 || count == 2 || count == 4 || count == 8 || count == 16 || count == 32,
                "the CPU device has tiles of 1, 2, 4, 8, 16 and 32 threads");

 public:
  thread_block_tile() : tile(count) {}
  thread_block_tile(unsigned int rank, unsigned int groups) : tile(count, rank, groups) {}
  template <typename Other>
  thread_block_tile(const thread_block_tile<count, Other>& other) : tile(other) {}
};

// What a tile of a size known at run time, or a block, is passed as.
class thread_group {
 public:
  thread_group(const thread_block&) : tile_(1), is_block_(true) {}
  thread_group(const details::tile& tile) : tile_(tile) {}

  void sync() const {
    if (is_block_) thread_block::sync();
    else tile_.sync();
  }
  unsigned int thread_rank() const { return is_block_ ? thread_block::thread_rank() : tile_.thread_rank(); }
  unsigned int num_threads() const { return is_block_ ? thread_block::num_threads() : tile_.num_threads(); }
  unsigned int size() const { return num_threads(); }

 private:
  details::tile tile_;
  bool is_block_ = false;
};

template <unsigned int count, typename Parent>
thread_block_tile<count, Parent> tiled_partition(const Parent& parent) {
  return {parent.thread_rank() / count, (parent.num_threads() + count - 1) / count};
}
inline thread_group tiled_partition(const thread_group&, unsigned int count) { return details::tile(count); }

template <typename Group>
void sync(const Group& group) {
  group.sync();
}
template <typename Group>
unsigned int thread_rank(const Group& group) {
  return group.thread_rank();
}
template <typename Group>
unsigned int group_size(const Group& group) {
  return group.num_threads();
}

}  // namespace cooperative_groups
