// CUDA arrays with their textures and surfaces.
#pragma once

#include <cstddef>
#include <vector>

#include <cuda.h>

#include "lib/cuda/driver.hpp"

namespace cudahot::kernels {

// How a texture reads. Coordinates in elements, nothing filtered, clamped, unless said otherwise.
struct Sampling {
  CUaddress_mode address = CU_TR_ADDRESS_MODE_CLAMP;
  CUfilter_mode filter = CU_TR_FILTER_MODE_POINT;
  unsigned flags = 0;  // CU_TRSF_*
  float border = 0;    // of every channel
};

// A two-dimensional array. Its textures and surfaces end with it.
class Image {
 public:
  Image(const cuda::DriverTable& driver, CUarray_format format, unsigned channels, std::size_t width,
        std::size_t height, const void* pixels);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  CUtexObject texture(const Sampling& sampling = {});
  CUsurfObject surface();
  void read(void* pixels) const;

 private:
  CUDA_MEMCPY2D whole() const;
  void copy(const CUDA_MEMCPY2D& how) const;

  const cuda::DriverTable& driver_;
  CUarray array_ = nullptr;
  std::size_t row_bytes_ = 0;
  std::size_t height_ = 0;
  std::vector<CUtexObject> textures_;
  std::vector<CUsurfObject> surfaces_;
};

}  // namespace cudahot::kernels
