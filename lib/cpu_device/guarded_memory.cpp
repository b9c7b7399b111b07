#include "lib/cpu_device/guarded_memory.hpp"

#include <sys/mman.h>

namespace cudahot::cpu {
namespace {

constexpr std::size_t kPage = 4096;
// Costs addresses only. A wrong index is often wrong by more than a page.
constexpr std::size_t kGuard = std::size_t{1} << 20;

}  // namespace

GuardedMemory::~GuardedMemory() {
  if (start_ != nullptr) ::munmap(start_ - kGuard, bytes_ + 2 * kGuard);
}

bool GuardedMemory::reserve(std::size_t bytes) {
  if (start_ != nullptr && bytes <= bytes_) return true;
  const std::size_t rounded = (bytes + kPage - 1) / kPage * kPage;
  void* mapping = ::mmap(nullptr, rounded + 2 * kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return false;
  std::byte* start = static_cast<std::byte*>(mapping) + kGuard;
  if (rounded != 0 && ::mprotect(start, rounded, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(mapping, rounded + 2 * kGuard);
    return false;
  }
  if (start_ != nullptr) ::munmap(start_ - kGuard, bytes_ + 2 * kGuard);
  start_ = start;
  bytes_ = rounded;
  return true;
}

}  // namespace cudahot::cpu
