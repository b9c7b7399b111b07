// The surface that the sample draws on.
#pragma once

#include "cudahot/result.hpp"
#include "device.hpp"
#include "picture.hpp"

namespace sample {

// A CUDA array of float4 pixels, bound as a surface object. `device` outlives it.
class Surface {
 public:
  static cudahot::Result<Surface> create(const Device& device, unsigned width, unsigned height);
  ~Surface();
  Surface(Surface&& other) noexcept;
  Surface& operator=(Surface&&) = delete;

  CUsurfObject object() const { return object_; }
  unsigned width() const { return width_; }
  unsigned height() const { return height_; }
  // Copies the pixels after what was enqueued in `stream`, and waits.
  cudahot::Result<Picture> read(const Stream& stream) const;

 private:
  Surface(const Device& device, unsigned width, unsigned height) : device_(device), width_(width), height_(height) {}
  const Device& device_;
  unsigned width_ = 0;
  unsigned height_ = 0;
  CUarray array_ = nullptr;
  CUsurfObject object_ = 0;
};

}  // namespace sample
