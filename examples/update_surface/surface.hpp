// The GPU side of the sample: device, stream and surface, owned, through the CUDA runtime.
#pragma once

#include <cuda_runtime_api.h>

#include "cudahot/result.hpp"
#include "picture.hpp"

namespace sample {

// Makes device 0's context current in this thread. Errors: environment when there is no driver,
// one too old, or no GPU: one sentence that says which.
cudahot::Status use_gpu();

class Stream {
 public:
  static cudahot::Result<Stream> create();
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&&) = delete;

  cudaStream_t get() const { return stream_; }
  // Waits for all that was enqueued. Errors: driver, also from kernels that failed.
  cudahot::Status wait() const;

 private:
  explicit Stream(cudaStream_t stream) : stream_(stream) {}
  cudaStream_t stream_ = nullptr;
};

// A CUDA array of float4 pixels, bound as a surface object.
class Surface {
 public:
  static cudahot::Result<Surface> create(unsigned width, unsigned height);
  ~Surface();
  Surface(Surface&& other) noexcept;
  Surface& operator=(Surface&&) = delete;

  cudaSurfaceObject_t object() const { return object_; }
  unsigned width() const { return width_; }
  unsigned height() const { return height_; }
  // Copies the pixels after what was enqueued in `stream`, and waits.
  cudahot::Result<Picture> read(const Stream& stream) const;

 private:
  Surface(unsigned width, unsigned height) : width_(width), height_(height) {}
  unsigned width_ = 0;
  unsigned height_ = 0;
  cudaArray_t array_ = nullptr;
  cudaSurfaceObject_t object_ = 0;
};

}  // namespace sample
