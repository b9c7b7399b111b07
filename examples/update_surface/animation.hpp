// The animation: a hot kernel, the surface that it draws on, and time.
#pragma once

#include <cstdint>

#include "cudahot/cudahot.hpp"
#include "surface.hpp"

namespace sample {

// Exactly the parameters of the kernel: UpdateSurface(surface, width, height, time).
using UpdateSurface = cudahot::Kernel<void(CUsurfObject, unsigned, unsigned, float)>;

// What a reload leaves alone: the surface, the stream and the time live here, not in the kernel.
// The surface and the stream outlive it.
class Animation {
 public:
  Animation(UpdateSurface kernel, const Surface& surface, const Stream& stream, float time_step)
      : kernel_(std::move(kernel)), surface_(surface), stream_(stream), time_step_(time_step) {}

  // Enqueues one launch at the current time.
  cudahot::Status draw();
  // To the next frame.
  void advance() { time_ += time_step_; }

  // The picture of the last draw().
  cudahot::Result<Picture> picture() const { return surface_.read(stream_); }
  float time() const { return time_; }
  std::uint64_t launches() const { return launches_; }
  const UpdateSurface& kernel() const { return kernel_; }
  CUsurfObject surface() const { return surface_.object(); }

 private:
  UpdateSurface kernel_;
  const Surface& surface_;
  const Stream& stream_;
  float time_step_ = 0;
  float time_ = 0;
  std::uint64_t launches_ = 0;
};

}  // namespace sample
