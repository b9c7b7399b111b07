#include "lib/cpu_device/device_heap.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>

namespace cudahot::cpu {
namespace {

constexpr std::size_t kAlignment = 16;
constexpr std::array<std::uint64_t, 2> kMark{0x8f3a61c5d27be904, 0x1be7904d5c3aa6f8};
static_assert(sizeof kMark == kAlignment);

}  // namespace

void DeviceHeap::add_free(std::size_t offset, std::size_t bytes) {
  free_.emplace(offset, bytes);
  free_by_size_.emplace(bytes, offset);
}

void DeviceHeap::remove_free(std::map<std::size_t, std::size_t>::iterator block) {
  free_by_size_.erase({block->second, block->first});
  free_.erase(block);
}

void* DeviceHeap::allocate(std::size_t bytes, std::size_t capacity) {
  const std::lock_guard lock(mutex_);
  if (!reserved_) {
    if (!memory_.reserve(capacity)) return nullptr;
    reserved_ = true;
    add_free(0, memory_.size());
  }
  if (bytes > memory_.size()) return nullptr;
  const std::size_t wanted = (bytes + kAlignment - 1) / kAlignment * kAlignment + sizeof kMark;
  const auto smallest = free_by_size_.lower_bound({wanted, 0});
  if (smallest == free_by_size_.end()) return nullptr;
  const auto [found_bytes, offset] = *smallest;
  remove_free(free_.find(offset));
  if (found_bytes > wanted) add_free(offset + wanted, found_bytes - wanted);
  used_.emplace(offset, wanted);
  std::memcpy(memory_.start() + offset + wanted - sizeof kMark, kMark.data(), sizeof kMark);
  return memory_.start() + offset;
}

DeviceHeap::Release DeviceHeap::release(void* memory) {
  if (memory == nullptr) return Release::done;
  const std::lock_guard lock(mutex_);
  const std::size_t start =
      reinterpret_cast<std::uintptr_t>(memory) - reinterpret_cast<std::uintptr_t>(memory_.start());
  const auto found = used_.find(start);
  if (found == used_.end()) return Release::unknown;
  std::size_t offset = found->first;
  std::size_t bytes = found->second;
  const bool intact = std::memcmp(memory_.start() + offset + bytes - sizeof kMark, kMark.data(), sizeof kMark) == 0;
  used_.erase(found);
  const auto after = free_.find(offset + bytes);
  if (after != free_.end()) {
    bytes += after->second;
    remove_free(after);
  }
  if (const auto behind = free_.lower_bound(offset); behind != free_.begin()) {
    const auto before = std::prev(behind);
    if (before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      remove_free(before);
    }
  }
  add_free(offset, bytes);
  return intact ? Release::done : Release::overrun;
}

}  // namespace cudahot::cpu
