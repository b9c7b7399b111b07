// CUDA arrays and the formats of their elements.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "lib/cpu_device/driver_api.hpp"

namespace cudahot::cpu {

// Why an access from running code cannot be done. CUDA_SUCCESS: it was.
struct AccessFault {
  CUresult code = CUDA_SUCCESS;
  const char* reason = "";
};

// Bytes of one channel; nullopt: a format this device does not have.
std::optional<std::size_t> channel_bytes(CUarray_format format);
// Bytes of an element of so many channels, or why there is none.
CUresult element_bytes(CUarray_format format, unsigned channels, std::size_t& bytes);

struct Array {
  CUarray handle = nullptr;
  CUcontext context = nullptr;
  CUarray_format format = CU_AD_FORMAT_FLOAT;
  unsigned channels = 1;
  std::size_t width = 0;   // elements
  std::size_t height = 0;  // 0: one-dimensional
  unsigned flags = 0;
  std::size_t element_bytes = 0;
  std::byte* data = nullptr;  // rows without gaps
  std::atomic<bool> destroyed{false};

  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array();

  std::size_t rows() const { return height == 0 ? 1 : height; }
  std::size_t pitch() const { return width * element_bytes; }
};

}  // namespace cudahot::cpu
