#include "picture.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <png.h>

namespace sample {

Bitmap to_bitmap(const Picture& picture) {
  Bitmap bitmap(picture.width, picture.height);
  for (std::size_t pixel = 0; pixel < picture.rgba.size() / 4; ++pixel) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      const float value = picture.rgba[pixel * 4 + channel];
      const float shown = value > 0.0f ? std::min(value, 1.0f) : 0.0f;
      bitmap.rgb[pixel * 3 + channel] = static_cast<std::uint8_t>(shown * 255.0f + 0.5f);
    }
  }
  return bitmap;
}

cudahot::Status write_png(const Bitmap& bitmap, const std::filesystem::path& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = bitmap.width;
  image.height = bitmap.height;
  image.format = PNG_FORMAT_RGB;
  if (png_image_write_to_file(&image, path.c_str(), 0, bitmap.rgb.data(), 0, nullptr) == 0) {
    return cudahot::fail(cudahot::ErrorCode::environment,
                         fmt::format("cannot write {}: {}", path.string(), image.message));
  }
  return {};
}

}  // namespace sample
