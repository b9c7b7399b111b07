// The device that the sample draws with, and a stream of it, owned. Everything goes through the
// driver's functions as cudahot finds them, so that a GPU and the CPU device are used alike.
#pragma once

#include <memory>

#include "cudahot/cudahot.hpp"
#include "lib/cuda/driver.hpp"

namespace sample {

// Device 0 of a driver, with its primary context current in the thread that opened it.
class Device {
 public:
  // Errors: environment when there is no driver, one too old, or no GPU: one sentence that says which.
  static cudahot::Result<Device> open(cudahot::Device kind);
  ~Device();
  Device(Device&& other) noexcept;
  Device& operator=(Device&&) = delete;

  const cudahot::cuda::DriverTable& driver() const { return *driver_; }
  // "WHAT: CUDA_ERROR_... (text)" unless it succeeded. Errors: driver.
  cudahot::Status check(CUresult result, const char* what) const;

 private:
  explicit Device(std::shared_ptr<const cudahot::cuda::DriverTable> driver) : driver_(std::move(driver)) {}

  std::shared_ptr<const cudahot::cuda::DriverTable> driver_;
  bool retained_ = false;  // the primary context of device 0
};

// `device` outlives it.
class Stream {
 public:
  static cudahot::Result<Stream> create(const Device& device);
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&&) = delete;

  const Device& device() const { return device_; }
  CUstream get() const { return stream_; }
  // Waits for all that was enqueued. Errors: driver, also from kernels that failed.
  cudahot::Status wait() const;

 private:
  Stream(const Device& device, CUstream stream) : device_(device), stream_(stream) {}
  const Device& device_;
  CUstream stream_ = nullptr;
};

}  // namespace sample
