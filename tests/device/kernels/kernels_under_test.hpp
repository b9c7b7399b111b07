// A .cu file of this folder on the tested device, by the way that users' files take: cudahot-extract
// makes a bundle of it, the public Runtime runs its kernels.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <cuda.h>
#include <gtest/gtest.h>

#include "cudahot/cudahot.hpp"
#include "lib/base/files.hpp"
#include "lib/runtime/context.hpp"
#include "tests/support/test_device.hpp"

namespace cudahot::kernels {

// The bundle of a file in tests/device/kernels, in a folder of its own. Errors: environment without a
// device; what cudahot-extract said.
Result<base::TemporaryFolder> extract(const std::string& name);

// The kernels of a bundle, loaded when they are first launched, in the primary context.
class LoadedKernels {
 public:
  static Result<std::unique_ptr<LoadedKernels>> open(const std::filesystem::path& folder);
  ~LoadedKernels();
  LoadedKernels(const LoadedKernels&) = delete;
  LoadedKernels& operator=(const LoadedKernels&) = delete;

  Runtime& runtime() { return runtime_; }
  const cuda::DriverTable& driver() const { return context_->driver(); }

 private:
  LoadedKernels(std::shared_ptr<runtime::Context> context, RuntimeOptions options);

  std::shared_ptr<runtime::Context> context_;
  runtime::CurrentContext current_;
  Runtime runtime_;
};

// Tests of one file. `struct Atomics : KernelTest { static void SetUpTestSuite() { open("atomics.cu"); } };`
class KernelTest : public ::testing::Test {
 public:
  static void TearDownTestSuite();

 protected:
  static void open(const std::string& name);
  void SetUp() override;

  // Loads the kernels again: their variables have their initialisers' values.
  static void start();

  static const cuda::DriverTable& driver() { return kernels_->driver(); }

  // One launch to its end. The arguments have exactly the types of the kernel's parameters.
  template <typename... Arguments>
  static CUresult run(const std::string& name, const LaunchConfig& config, Arguments... arguments) {
    const auto kernel = kernels_->runtime().kernel<void(Arguments...)>(name);
    EXPECT_TRUE(kernel) << name << ": " << kernel.error().message;
    const Status launched = kernel.launch(config, arguments...);
    EXPECT_TRUE(launched) << name << ": " << launched.error().message;
    return driver().context_synchronize();
  }

  static std::unique_ptr<LoadedKernels> kernels_;

 private:
  static std::optional<base::TemporaryFolder> folder_;
};

// Elements in device memory, freed at the end of the scope.
template <typename T>
class DeviceArray {
 public:
  DeviceArray(const cuda::DriverTable& driver, const std::vector<T>& values) : driver_(driver), count_(values.size()) {
    EXPECT_EQ(driver_.memory_allocate(&address_, count_ * sizeof(T)), CUDA_SUCCESS);
    EXPECT_EQ(driver_.copy_to_device(address_, values.data(), count_ * sizeof(T)), CUDA_SUCCESS);
  }
  DeviceArray(const cuda::DriverTable& driver, std::size_t count, T value = {})
      : DeviceArray(driver, std::vector<T>(count, value)) {}
  ~DeviceArray() { driver_.memory_free(address_); }  // fails where a test lost the context
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return reinterpret_cast<T*>(address_); }
  const T* in() const { return get(); }
  std::vector<T> read() const {
    std::vector<T> values(count_);
    EXPECT_EQ(driver_.copy_to_host(values.data(), address_, count_ * sizeof(T)), CUDA_SUCCESS);
    return values;
  }

 private:
  const cuda::DriverTable& driver_;
  std::size_t count_;
  CUdeviceptr address_ = 0;
};

}  // namespace cudahot::kernels
