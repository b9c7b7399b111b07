// What malloc and free of kernels use: memory of a context, apart from the program's own heap.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "lib/cpu_device/guarded_memory.hpp"

namespace cudahot::cpu {

// Thread safe. What is known of allocations lies elsewhere: writing outside one damages others at worst.
class DeviceHeap {
 public:
  enum class Release { done, unknown, overrun };

  // Aligned to 16 bytes; nullptr: there is not so much. `capacity` counts in the first call.
  void* allocate(std::size_t bytes, std::size_t capacity);
  // Also of nullptr. unknown: nothing that was allocated begins there. overrun: something was written behind it.
  Release release(void* memory);

 private:
  void add_free(std::size_t offset, std::size_t bytes);
  void remove_free(std::map<std::size_t, std::size_t>::iterator block);

  std::mutex mutex_;
  GuardedMemory memory_;
  bool reserved_ = false;
  // By offset: bytes, with the mark behind what was asked for.
  std::map<std::size_t, std::size_t> used_;
  std::map<std::size_t, std::size_t> free_;
  std::set<std::pair<std::size_t, std::size_t>> free_by_size_;  // bytes, offset
};

}  // namespace cudahot::cpu
