// Memory that running code may overrun by mistake: on both sides nothing is mapped.
#pragma once

#include <cstddef>

namespace cudahot::cpu {

class GuardedMemory {
 public:
  GuardedMemory() = default;
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  // Makes it hold at least `bytes`; what it held is lost when it was smaller. false: no memory.
  bool reserve(std::size_t bytes);

  std::size_t size() const { return bytes_; }
  std::byte* start() const { return start_; }
  // An access from here on faults. Aligned to a page.
  std::byte* end() const { return start_ + bytes_; }

 private:
  std::byte* start_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace cudahot::cpu
