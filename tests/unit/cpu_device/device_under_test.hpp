// The CPU device as programs meet it: loaded at run time, found by the driver's symbols.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <cuda.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lib/cpu_device/device_extension.h"

namespace cudahot::test {

void* device_symbol(const char* name);

template <typename Signature>
Signature* device_function(const char* name) {
  return reinterpret_cast<Signature*>(device_symbol(name));
}

// `DEVICE(cuMemAlloc)(...)` calls the device's function of the name that <cuda.h> makes of it.
#define CUDAHOT_TEXT(name) #name
#define CUDAHOT_TEXT_OF(name) CUDAHOT_TEXT(name)
#define DEVICE(function) (::cudahot::test::device_function<decltype(::function)>(CUDAHOT_TEXT_OF(function)))

#define ASSERT_CUDA(call) ASSERT_EQ((call), CUDA_SUCCESS)
#define EXPECT_CUDA(call) EXPECT_EQ((call), CUDA_SUCCESS)

std::string bytes_of_file(const std::string& file);

// Each test has a fresh primary context that is current, and the kernels of device_code/kernels.c
// loaded; afterwards everything is gone again.
class DeviceTest : public testing::Test {
 protected:
  DeviceTest();
  ~DeviceTest() override;

  CUkernel kernel(const char* name) const;
  // By kernel, as our runtime launches; parameters are given by address.
  CUresult launch(const char* name, unsigned grid, unsigned block, std::vector<void*> parameters = {},
                  CUstream stream = nullptr, unsigned shared_bytes = 0) const;
  template <typename Value>
  CUdeviceptr allocate(std::size_t count) const {
    return allocate_bytes(count * sizeof(Value));
  }
  template <typename Value>
  CUdeviceptr upload(const std::vector<Value>& values) const {
    const CUdeviceptr memory = allocate<Value>(values.size());
    EXPECT_CUDA(DEVICE(cuMemcpyHtoD)(memory, values.data(), values.size() * sizeof(Value)));
    return memory;
  }
  // In the order of the default stream.
  template <typename Value>
  std::vector<Value> download(CUdeviceptr memory, std::size_t count) const {
    std::vector<Value> values(count);
    EXPECT_CUDA(DEVICE(cuMemcpyDtoH)(values.data(), memory, count * sizeof(Value)));
    return values;
  }
  static CudahotCpuCounters counters();
  CUstream new_stream(unsigned flags = CU_STREAM_NON_BLOCKING) const;
  CUcontext context() const { return context_; }
  CUlibrary library() const { return library_; }
  // Messages since the test began, one a line.
  static std::string log();

 private:
  CUdeviceptr allocate_bytes(std::size_t bytes) const;
  CUcontext context_ = nullptr;
  CUlibrary library_ = nullptr;
};

}  // namespace cudahot::test
