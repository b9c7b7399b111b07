#include "surface.hpp"

#include <utility>

namespace sample {

cudahot::Result<Surface> Surface::create(const Device& device, unsigned width, unsigned height) {
  Surface surface(device, width, height);
  CUDA_ARRAY3D_DESCRIPTOR shape{};
  shape.Width = width;
  shape.Height = height;
  shape.Format = CU_AD_FORMAT_FLOAT;
  shape.NumChannels = 4;
  shape.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  if (auto made = device.check(device.driver().array_create(&surface.array_, &shape), "cannot allocate the surface");
      !made) {
    return cudahot::fail(std::move(made.error()));
  }
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = surface.array_;
  if (auto made =
          device.check(device.driver().surface_create(&surface.object_, &resource), "cannot create the surface object");
      !made) {
    return cudahot::fail(std::move(made.error()));
  }
  return surface;
}

Surface::~Surface() {
  if (object_ != 0) device_.driver().surface_destroy(object_);
  if (array_ != nullptr) device_.driver().array_destroy(array_);
}

Surface::Surface(Surface&& other) noexcept
    : device_(other.device_),
      width_(other.width_),
      height_(other.height_),
      array_(std::exchange(other.array_, nullptr)),
      object_(std::exchange(other.object_, 0)) {}

cudahot::Result<Picture> Surface::read(const Stream& stream) const {
  Picture picture{width_, height_, std::vector<float>(std::size_t{4} * width_ * height_)};
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array_;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = picture.rgba.data();
  copy.WidthInBytes = std::size_t{width_} * 4 * sizeof(float);
  copy.Height = height_;
  copy.dstPitch = copy.WidthInBytes;
  if (auto copied = device_.check(device_.driver().copy_2d_async(&copy, stream.get()), "cannot read the surface");
      !copied) {
    return cudahot::fail(std::move(copied.error()));
  }
  if (auto done = stream.wait(); !done) return cudahot::fail(std::move(done.error()));
  return picture;
}

}  // namespace sample
