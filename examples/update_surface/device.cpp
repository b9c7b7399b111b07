#include "device.hpp"

#include <utility>

#include <fmt/format.h>

namespace sample {

using cudahot::ErrorCode;

cudahot::Result<Device> Device::open(cudahot::Device kind) {
  auto driver = kind == cudahot::Device::cpu ? cudahot::cuda::load_cpu_device() : cudahot::cuda::load_driver();
  if (!driver) return cudahot::fail(std::move(driver.error()));
  Device device(std::move(*driver));
  const auto& table = device.driver();
  int devices = 0;
  CUresult result = table.init(0);
  if (result == CUDA_SUCCESS) result = table.device_get_count(&devices);
  if (result != CUDA_SUCCESS || devices == 0) {
    return cudahot::fail(
        ErrorCode::environment,
        fmt::format("a CUDA driver is installed but no GPU can be used: {}; `nvidia-smi` shows what "
                    "the driver sees, and CUDAHOT_DEVICE=cpu runs on the CPU device",
                    result == CUDA_SUCCESS ? "it lists none" : cudahot::cuda::describe(table, result)));
  }
  CUdevice first = 0;
  CUcontext context = nullptr;
  result = table.device_get(&first, 0);
  if (result == CUDA_SUCCESS) result = table.primary_context_retain(&context, first);
  device.retained_ = result == CUDA_SUCCESS;
  if (result == CUDA_SUCCESS) result = table.context_set_current(context);
  if (auto usable = device.check(result, "cannot use device 0"); !usable) {
    return cudahot::fail(std::move(usable.error()));
  }
  return device;
}

Device::~Device() {
  if (!retained_) return;
  driver_->context_set_current(nullptr);
  driver_->primary_context_release(0);
}

Device::Device(Device&& other) noexcept
    : driver_(std::move(other.driver_)), retained_(std::exchange(other.retained_, false)) {}

cudahot::Status Device::check(CUresult result, const char* what) const {
  if (result == CUDA_SUCCESS) return {};
  return cudahot::fail(ErrorCode::driver, fmt::format("{}: {}", what, cudahot::cuda::describe(*driver_, result)));
}

cudahot::Result<Stream> Stream::create(const Device& device) {
  CUstream stream = nullptr;
  if (auto made =
          device.check(device.driver().stream_create(&stream, CU_STREAM_NON_BLOCKING), "cannot create a stream");
      !made) {
    return cudahot::fail(std::move(made.error()));
  }
  return Stream(device, stream);
}

Stream::~Stream() {
  if (stream_ != nullptr) device_.driver().stream_destroy(stream_);
}

Stream::Stream(Stream&& other) noexcept : device_(other.device_), stream_(std::exchange(other.stream_, nullptr)) {}

cudahot::Status Stream::wait() const {
  return device_.check(device_.driver().stream_synchronize(stream_), "the stream failed");
}

}  // namespace sample
