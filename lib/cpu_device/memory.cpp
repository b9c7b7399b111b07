#include "lib/cpu_device/memory.hpp"

#include <mutex>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "lib/cpu_device/log.hpp"

namespace cudahot::cpu {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kAlignment = 256;  // what the driver promises

std::size_t rounded_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

bool is_mapped(const MemoryRange& range) {
  return range.kind == MemoryKind::device || range.kind == MemoryKind::managed || range.kind == MemoryKind::pinned;
}

bool counts_as_device_memory(MemoryKind kind) { return kind == MemoryKind::device || kind == MemoryKind::managed; }

void unmap(const MemoryRange& range) {
  if (!is_mapped(range)) return;
  unmap_guarded(reinterpret_cast<std::byte*>(range.start), range.bytes);
  if (counts_as_device_memory(range.kind)) counters().device_memory_bytes -= range.bytes;
}

}  // namespace

std::byte* map_guarded(std::size_t bytes) {
  const std::size_t padded = rounded_up(bytes, kAlignment);
  const std::size_t pages = rounded_up(padded, kPage);
  if (pages < bytes) return nullptr;
  void* mapping =
      ::mmap(nullptr, pages + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  auto* low = static_cast<std::byte*>(mapping);
  if (::mprotect(low + pages, kPage, PROT_NONE) != 0) {
    ::munmap(mapping, pages + kPage);
    return nullptr;
  }
  return low + (pages - padded);
}

void unmap_guarded(std::byte* start, std::size_t bytes) {
  const std::size_t padded = rounded_up(bytes, kAlignment);
  const std::size_t pages = rounded_up(padded, kPage);
  ::munmap(start - (pages - padded), pages + kPage);
}

MemoryMap& MemoryMap::instance() {
  static MemoryMap& the = *new MemoryMap;
  return the;
}

bool MemoryMap::add(MemoryRange range) {
  const std::unique_lock lock(mutex_);
  const auto after = ranges_.lower_bound(range.start);
  if (after != ranges_.end() && after->first < range.start + range.bytes) return false;
  if (after != ranges_.begin()) {
    const MemoryRange& before = std::prev(after)->second;
    if (before.start + before.bytes > range.start) return false;
  }
  range.id = next_id_++;
  ranges_.emplace_hint(after, range.start, range);
  return true;
}

std::optional<MemoryRange> MemoryMap::remove(std::uintptr_t start) {
  const std::unique_lock lock(mutex_);
  const auto found = ranges_.find(start);
  if (found == ranges_.end()) return std::nullopt;
  const MemoryRange range = found->second;
  ranges_.erase(found);
  return range;
}

std::optional<MemoryRange> MemoryMap::find(std::uintptr_t address) const {
  const std::shared_lock lock(mutex_);
  auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return std::nullopt;
  const MemoryRange& range = std::prev(after)->second;
  if (address - range.start >= range.bytes) return std::nullopt;
  return range;
}

bool MemoryMap::is_accessible(CUdeviceptr address, std::size_t bytes) const {
  const auto range = find(address);
  return range && range->contains(address, bytes);
}

bool MemoryMap::is_plain_or_inside(const void* address, std::size_t bytes) const {
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  const auto range = find(start);
  return !range || range->contains(start, bytes);
}

void MemoryMap::release(CUcontext owner) {
  std::vector<MemoryRange> released;
  {
    const std::unique_lock lock(mutex_);
    for (auto entry = ranges_.begin(); entry != ranges_.end();) {
      if (entry->second.owner == owner) {
        released.push_back(entry->second);
        entry = ranges_.erase(entry);
      } else {
        ++entry;
      }
    }
  }
  for (const MemoryRange& range : released) unmap(range);
}

CUdeviceptr allocate(std::size_t bytes, MemoryKind kind, unsigned flags, CUcontext owner) {
  if (bytes > total_memory() - counters().device_memory_bytes) return 0;
  std::byte* memory = map_guarded(bytes);
  if (memory == nullptr) return 0;
  const auto start = reinterpret_cast<std::uintptr_t>(memory);
  if (counts_as_device_memory(kind)) counters().device_memory_bytes += bytes;
  MemoryMap::instance().add({.start = start, .bytes = bytes, .kind = kind, .flags = flags, .owner = owner});
  return start;
}

bool deallocate(CUdeviceptr start, bool host) {
  MemoryMap& map = MemoryMap::instance();
  const auto range = map.find(start);
  if (!range || range->start != start || !is_mapped(*range) || range->on_host() != host) return false;
  if (!map.remove(start)) return false;
  unmap(*range);
  return true;
}

std::size_t total_memory() {
  static const std::size_t bytes =
      static_cast<std::size_t>(::sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

}  // namespace cudahot::cpu
