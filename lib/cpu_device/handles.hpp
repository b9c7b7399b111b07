// Handles that callers hold. They are numbers that are never used twice, so that the use of a
// destroyed object is found out instead of reaching another one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace cudahot::cpu {

inline std::uintptr_t new_handle_number() {
  static std::atomic<std::uintptr_t> next{0x100000};
  return next.fetch_add(16, std::memory_order_relaxed);
}

// Object has a member `handle` of the handle's type, set by add(). Thread safe.
template <typename Object>
class HandleTable {
 public:
  using Handle = decltype(Object::handle);
  using Pointer = std::shared_ptr<Object>;

  // Never destroyed: the device's threads outlive static destruction.
  static HandleTable& instance() {
    static HandleTable& the = *new HandleTable;
    return the;
  }

  Handle add(Pointer object) {
    const std::uintptr_t number = new_handle_number();
    const auto handle = reinterpret_cast<Handle>(number);
    object->handle = handle;
    const std::unique_lock lock(mutex_);
    objects_.emplace(number, std::move(object));
    return handle;
  }

  // nullptr: unknown or destroyed
  Pointer find(Handle handle) const {
    const std::shared_lock lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    return found == objects_.end() ? nullptr : found->second;
  }

  Pointer remove(Handle handle) {
    const std::unique_lock lock(mutex_);
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found == objects_.end()) return nullptr;
    Pointer object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

  std::vector<Pointer> all() const {
    std::vector<Pointer> found;
    const std::shared_lock lock(mutex_);
    for (const auto& entry : objects_) found.push_back(entry.second);
    return found;
  }

  template <typename Predicate>
  std::vector<Pointer> remove_if(Predicate predicate) {
    std::vector<Pointer> removed;
    const std::unique_lock lock(mutex_);
    for (auto entry = objects_.begin(); entry != objects_.end();) {
      if (!predicate(*entry->second)) {
        ++entry;
        continue;
      }
      removed.push_back(std::move(entry->second));
      entry = objects_.erase(entry);
    }
    return removed;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<std::uintptr_t, Pointer> objects_;
};

template <typename Object>
std::shared_ptr<Object> find_handle(decltype(Object::handle) handle) {
  return HandleTable<Object>::instance().find(handle);
}

}  // namespace cudahot::cpu
