// Handles that running code uses: found without a lock, one load for each access.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace cudahot::cpu {

// A handle is a slot and how often the slot was used before, so that a stale one is found out.
template <typename Object>
class AccessTable {
 public:
  static AccessTable& instance() {
    static AccessTable& the = *new AccessTable;
    return the;
  }

  // 0: the table is full.
  std::uint64_t add(std::unique_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    for (std::size_t tried = 0; tried < kSlots; ++tried) {
      const std::size_t index = next_++ % kSlots;
      Slot& slot = slots_[index];
      if (slot.object.load(std::memory_order_relaxed) != nullptr) continue;
      const std::uint64_t use = slot.use.load(std::memory_order_relaxed) + 1;
      slot.object.store(object.release(), std::memory_order_relaxed);
      slot.use.store(use, std::memory_order_release);
      return use * kSlots + index;
    }
    return 0;
  }

  // nullptr: unknown or destroyed. Valid until removed.
  const Object* find(std::uint64_t handle) const {
    const Slot& slot = slots_[handle % kSlots];
    if (slot.use.load(std::memory_order_acquire) != handle / kSlots || handle < kSlots) return nullptr;
    return slot.object.load(std::memory_order_relaxed);
  }

  // No running code may use it any more.
  std::unique_ptr<Object> remove(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    if (find(handle) == nullptr) return nullptr;
    return std::unique_ptr<Object>(slots_[handle % kSlots].object.exchange(nullptr, std::memory_order_relaxed));
  }

 private:
  static constexpr std::size_t kSlots = 16384;
  struct Slot {
    std::atomic<std::uint64_t> use{0};
    std::atomic<Object*> object{nullptr};
  };

  std::mutex mutex_;
  std::size_t next_ = 0;
  std::array<Slot, kSlots> slots_;
};

}  // namespace cudahot::cpu
