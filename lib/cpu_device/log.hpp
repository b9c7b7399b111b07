// Messages and counters of the device (device_extension.h). Thread safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "lib/cpu_device/driver_api.hpp"

namespace cudahot::cpu {

struct Counters {
  std::atomic<std::uint64_t> launches{0};
  std::atomic<std::uint64_t> failed_launches{0};
  std::atomic<std::uint64_t> loaded_images{0};
  std::atomic<std::uint64_t> drains{0};
  std::atomic<std::uint64_t> refused_calls{0};
  std::atomic<std::uint64_t> misuses{0};
  std::atomic<std::uint64_t> stream_threads{0};
  std::atomic<std::uint64_t> device_memory_bytes{0};
};
Counters& counters();

void log_warning(std::string_view text);
void log_error(std::string_view text);

// Reports a call that a driver would have left undefined, and hands `code` back.
CUresult misuse(CUresult code, std::string_view text);

}  // namespace cudahot::cpu
