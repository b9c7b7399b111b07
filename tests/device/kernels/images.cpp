#include "images.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace cudahot::kernels {
namespace {

std::size_t bytes_of(CUarray_format format) {
  switch (format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
      return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
      return 2;
    default:
      return 4;
  }
}

CUDA_RESOURCE_DESC resource_of(CUarray array) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  return resource;
}

}  // namespace

Image::Image(const cuda::DriverTable& driver, CUarray_format format, unsigned channels, std::size_t width,
             std::size_t height, const void* pixels)
    : driver_(driver), row_bytes_(width * channels * bytes_of(format)), height_(height) {
  CUDA_ARRAY3D_DESCRIPTOR wanted{};
  wanted.Width = width;
  wanted.Height = height;
  wanted.Format = format;
  wanted.NumChannels = channels;
  wanted.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  EXPECT_EQ(driver_.array_create(&array_, &wanted), CUDA_SUCCESS);
  CUDA_MEMCPY2D how = whole();
  how.srcMemoryType = CU_MEMORYTYPE_HOST;
  how.srcHost = pixels;
  how.srcPitch = row_bytes_;
  how.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  how.dstArray = array_;
  copy(how);
}

Image::~Image() {
  for (const CUtexObject texture : textures_) EXPECT_EQ(driver_.texture_destroy(texture), CUDA_SUCCESS);
  for (const CUsurfObject surface : surfaces_) EXPECT_EQ(driver_.surface_destroy(surface), CUDA_SUCCESS);
  EXPECT_EQ(driver_.array_destroy(array_), CUDA_SUCCESS);
}

CUtexObject Image::texture(const Sampling& sampling) {
  CUDA_TEXTURE_DESC description{};
  for (CUaddress_mode& mode : description.addressMode) mode = sampling.address;
  description.filterMode = sampling.filter;
  description.flags = sampling.flags;
  std::ranges::fill(description.borderColor, sampling.border);
  const CUDA_RESOURCE_DESC resource = resource_of(array_);
  CUtexObject texture = 0;
  EXPECT_EQ(driver_.texture_create(&texture, &resource, &description, nullptr), CUDA_SUCCESS);
  textures_.push_back(texture);
  return texture;
}

CUsurfObject Image::surface() {
  const CUDA_RESOURCE_DESC resource = resource_of(array_);
  CUsurfObject surface = 0;
  EXPECT_EQ(driver_.surface_create(&surface, &resource), CUDA_SUCCESS);
  surfaces_.push_back(surface);
  return surface;
}

void Image::read(void* pixels) const {
  CUDA_MEMCPY2D how = whole();
  how.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  how.srcArray = array_;
  how.dstMemoryType = CU_MEMORYTYPE_HOST;
  how.dstHost = pixels;
  how.dstPitch = row_bytes_;
  copy(how);
}

CUDA_MEMCPY2D Image::whole() const {
  CUDA_MEMCPY2D how{};
  how.WidthInBytes = row_bytes_;
  how.Height = height_;
  return how;
}

void Image::copy(const CUDA_MEMCPY2D& how) const {
  EXPECT_EQ(driver_.copy_2d_async(&how, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver_.stream_synchronize(nullptr), CUDA_SUCCESS);
}

}  // namespace cudahot::kernels
