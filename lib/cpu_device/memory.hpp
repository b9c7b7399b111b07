// Memory of the device: what is allocated, and where a pointer points to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>

#include "lib/cpu_device/driver_api.hpp"

namespace cudahot::cpu {

constexpr std::size_t kMaxArrayExtent = 65536;

// Pages of their own with an unmapped one behind: bytes past the end, rounded up to 256, fault,
// and so do all once it is unmapped. nullptr: no memory.
std::byte* map_guarded(std::size_t bytes);
void unmap_guarded(std::byte* start, std::size_t bytes);

enum class MemoryKind {
  device,
  managed,
  pinned,      // cuMemAllocHost, cuMemHostAlloc
  registered,  // cuMemHostRegister
  variable,    // of a loaded module
};

struct MemoryRange {
  std::uintptr_t start = 0;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  unsigned flags = 0;
  CUcontext owner = nullptr;  // nullptr: of no context
  std::uint64_t id = 0;       // set by add()

  bool contains(std::uintptr_t address, std::size_t count) const {
    return address >= start && address - start <= bytes && count <= bytes - (address - start);
  }
  bool on_host() const { return kind == MemoryKind::pinned || kind == MemoryKind::registered; }
};

// All ranges that calls may name. Thread safe.
class MemoryMap {
 public:
  static MemoryMap& instance();

  // false: it overlaps another one.
  bool add(MemoryRange range);
  std::optional<MemoryRange> remove(std::uintptr_t start);
  // The range that holds the address.
  std::optional<MemoryRange> find(std::uintptr_t address) const;
  // Whether the device may touch these bytes.
  bool is_accessible(CUdeviceptr address, std::size_t bytes) const;
  // Whether the bytes lie in no range, or wholly within one.
  bool is_plain_or_inside(const void* address, std::size_t bytes) const;

  // Unmaps or forgets all that the context owns.
  void release(CUcontext owner);

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::uintptr_t, MemoryRange> ranges_;
  std::uint64_t next_id_ = 1;
};

// Allocates and enters it in the map. 0: no memory.
CUdeviceptr allocate(std::size_t bytes, MemoryKind kind, unsigned flags, CUcontext owner);
// Frees what allocate() returned. Its work must be done. false: no such allocation of that kind.
bool deallocate(CUdeviceptr start, bool host);

std::size_t total_memory();

}  // namespace cudahot::cpu
