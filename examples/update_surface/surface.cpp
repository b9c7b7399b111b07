#include "surface.hpp"

#include <utility>

#include <fmt/format.h>

namespace sample {
namespace {

using cudahot::ErrorCode;

cudahot::Status check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return {};
  return cudahot::fail(ErrorCode::driver,
                       fmt::format("{}: {} ({})", what, cudaGetErrorString(status), cudaGetErrorName(status)));
}

}  // namespace

cudahot::Status use_gpu() {
  int driver_version = 0;
  if (cudaDriverGetVersion(&driver_version) != cudaSuccess || driver_version == 0) {
    return cudahot::fail(ErrorCode::environment,
                         "no CUDA driver is installed here (libcuda.so.1); an NVIDIA GPU is needed");
  }
  int devices = 0;
  const cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaErrorInsufficientDriver) {
    return cudahot::fail(
        ErrorCode::environment,
        fmt::format("the CUDA driver (for CUDA {}.{}) is older than this program (CUDA {}.{}); update the driver",
                    driver_version / 1000, driver_version % 1000 / 10, CUDART_VERSION / 1000,
                    CUDART_VERSION % 1000 / 10));
  }
  if (status != cudaSuccess || devices == 0) {
    return cudahot::fail(ErrorCode::environment,
                         fmt::format("a CUDA driver is installed but no GPU can be used: {}",
                                     status == cudaSuccess ? "it lists none" : cudaGetErrorString(status)));
  }
  // The first call that needs the context makes it current.
  if (auto made = check(cudaSetDevice(0), "cannot use GPU 0"); !made) return made;
  return check(cudaFree(nullptr), "cannot use GPU 0");
}

cudahot::Result<Stream> Stream::create() {
  cudaStream_t stream = nullptr;
  if (auto made = check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cannot create a stream"); !made) {
    return cudahot::fail(std::move(made.error()));
  }
  return Stream(stream);
}

Stream::~Stream() {
  if (stream_ != nullptr) cudaStreamDestroy(stream_);
}

Stream::Stream(Stream&& other) noexcept : stream_(std::exchange(other.stream_, nullptr)) {}

cudahot::Status Stream::wait() const { return check(cudaStreamSynchronize(stream_), "the stream failed"); }

cudahot::Result<Surface> Surface::create(unsigned width, unsigned height) {
  Surface surface(width, height);
  const cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 32, 32, 32, cudaChannelFormatKindFloat);
  if (auto made = check(cudaMallocArray(&surface.array_, &format, width, height, cudaArraySurfaceLoadStore),
                        "cannot allocate the surface");
      !made) {
    return cudahot::fail(std::move(made.error()));
  }
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = surface.array_;
  if (auto made = check(cudaCreateSurfaceObject(&surface.object_, &resource), "cannot create the surface object");
      !made) {
    return cudahot::fail(std::move(made.error()));
  }
  return surface;
}

Surface::~Surface() {
  if (object_ != 0) cudaDestroySurfaceObject(object_);
  if (array_ != nullptr) cudaFreeArray(array_);
}

Surface::Surface(Surface&& other) noexcept
    : width_(other.width_),
      height_(other.height_),
      array_(std::exchange(other.array_, nullptr)),
      object_(std::exchange(other.object_, 0)) {}

cudahot::Result<Picture> Surface::read(const Stream& stream) const {
  Picture picture{width_, height_, std::vector<float>(std::size_t{4} * width_ * height_)};
  const std::size_t row = std::size_t{width_} * 4 * sizeof(float);
  if (auto copied = check(cudaMemcpy2DFromArrayAsync(picture.rgba.data(), row, array_, 0, 0, row, height_,
                                                     cudaMemcpyDeviceToHost, stream.get()),
                          "cannot read the surface");
      !copied) {
    return cudahot::fail(std::move(copied.error()));
  }
  if (auto done = stream.wait(); !done) return cudahot::fail(std::move(done.error()));
  return picture;
}

}  // namespace sample
