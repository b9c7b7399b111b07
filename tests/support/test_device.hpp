// The device that tests in tests/device run kernels on, and the built programs. CTest runs each such
// program twice, with CUDAHOT_DEVICE=cpu and with CUDAHOT_DEVICE=gpu.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cudahot/cudahot.hpp"
#include "lib/base/processes.hpp"
#include "lib/cuda/driver.hpp"

// For a test that would show nothing on the CPU device: says why, and is skipped there.
#define CUDAHOT_ONLY_ON_GPU(why) \
  if (cudahot::test_support::tested_device() == cudahot::Device::cpu) GTEST_SKIP() << "only on a GPU: " << (why)

// The reverse: what only the CPU device promises.
#define CUDAHOT_ONLY_ON_CPU(why)                                      \
  if (cudahot::test_support::tested_device() == cudahot::Device::gpu) \
  GTEST_SKIP() << "only on the CPU device: " << (why)

// First line of a test that loses the context, which on a GPU does not come back: the rest is run by a child process.
#define CUDAHOT_IN_OWN_PROCESS() \
  if (!cudahot::test_support::in_own_process()) return

// Skips a test where opening its device failed for want of a GPU. The CPU device is everywhere.
#define CUDAHOT_NEEDS_DEVICE(opened)                                                       \
  if (!(opened)) {                                                                         \
    const std::string why_not = (opened).error().message;                                  \
    if (cudahot::test_support::tested_device() == cudahot::Device::cpu) FAIL() << why_not; \
    GTEST_SKIP() << why_not;                                                               \
  }

namespace cudahot::test_support {

// From CUDAHOT_DEVICE; without it the GPU.
Device tested_device();

// Its driver, initialised, with a device. Errors: environment where there is none: see CUDAHOT_NEEDS_DEVICE.
Result<std::shared_ptr<const cuda::DriverTable>> tested_driver();

// A stream of its own. The driver outlives it.
class Stream {
 public:
  Stream(const cuda::DriverTable& driver, unsigned flags) : driver_(driver) {
    EXPECT_EQ(driver_.stream_create(&handle_, flags), CUDA_SUCCESS);
  }
  ~Stream() { driver_.stream_destroy(handle_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  CUstream get() const { return handle_; }

 private:
  const cuda::DriverTable& driver_;
  CUstream handle_ = nullptr;
};

// What --arch of cudahot-extract takes for it: "cpu-x86-64", "90".
std::string architecture_of(const cuda::DriverTable& driver);

// Memory of the device in use, and resident memory of this process (0 with a sanitizer).
double used_device_megabytes(const cuda::DriverTable& driver);
double resident_megabytes();

// Whether this is a child that runs the current test alone; if not, makes one and takes over its failure.
bool in_own_process();

// Where cudahot-extract and the samples were built: $CUDAHOT_TEST_BIN.
std::filesystem::path built_programs();

// One of the built programs. Errors: as run_process.
Result<base::ProcessOutcome> run_built(const std::string& program, std::vector<std::string> arguments,
                                       std::vector<std::string> environment = {});

}  // namespace cudahot::test_support
