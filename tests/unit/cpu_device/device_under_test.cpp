#include "tests/unit/cpu_device/device_under_test.hpp"

#include <fstream>
#include <mutex>
#include <sstream>

#include <dlfcn.h>

namespace cudahot::test {
namespace {

std::mutex log_mutex;
std::string log_lines;

void append_log(std::int32_t, const char* text, void*) {
  const std::lock_guard lock(log_mutex);
  log_lines += text;
  log_lines += '\n';
}

}  // namespace

void* device_symbol(const char* name) {
  static void* const library = ::dlopen(CUDAHOT_CPU_DEVICE, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    ADD_FAILURE() << ::dlerror();
    return nullptr;
  }
  void* symbol = ::dlsym(library, name);
  EXPECT_NE(symbol, nullptr) << name;
  return symbol;
}

std::string bytes_of_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream) << file;
  std::ostringstream bytes;
  bytes << stream.rdbuf();
  return bytes.str();
}

DeviceTest::DeviceTest() {
  log_lines.clear();
  device_function<decltype(cudahotCpuSetLog)>("cudahotCpuSetLog")(&append_log, nullptr);
  EXPECT_CUDA(DEVICE(cuInit)(0));
  EXPECT_CUDA(DEVICE(cuDevicePrimaryCtxRetain)(&context_, 0));
  EXPECT_CUDA(DEVICE(cuCtxSetCurrent)(context_));
  const std::string code = bytes_of_file(CUDAHOT_TEST_KERNELS);
  EXPECT_CUDA(DEVICE(cuLibraryLoadData)(&library_, code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
}

DeviceTest::~DeviceTest() {
  // What a test unloaded itself is not found here: that is fine.
  DEVICE(cuLibraryUnload)(library_);
  EXPECT_CUDA(DEVICE(cuDevicePrimaryCtxReset)(0));
  while (DEVICE(cuCtxPopCurrent)(nullptr) == CUDA_SUCCESS) {
  }
}

CUkernel DeviceTest::kernel(const char* name) const {
  CUkernel found = nullptr;
  EXPECT_CUDA(DEVICE(cuLibraryGetKernel)(&found, library_, name)) << name;
  return found;
}

CUresult DeviceTest::launch(const char* name, unsigned grid, unsigned block, std::vector<void*> parameters,
                            CUstream stream, unsigned shared_bytes) const {
  parameters.push_back(nullptr);
  return DEVICE(cuLaunchKernel)(reinterpret_cast<CUfunction>(kernel(name)), grid, 1, 1, block, 1, 1, shared_bytes,
                                stream, parameters.data(), nullptr);
}

CudahotCpuCounters DeviceTest::counters() {
  CudahotCpuCounters now{};
  device_function<decltype(cudahotCpuGetCounters)>("cudahotCpuGetCounters")(&now);
  return now;
}

CUstream DeviceTest::new_stream(unsigned flags) const {
  CUstream stream = nullptr;
  EXPECT_CUDA(DEVICE(cuStreamCreate)(&stream, flags));
  return stream;
}

std::string DeviceTest::log() {
  const std::lock_guard lock(log_mutex);
  return log_lines;
}

CUdeviceptr DeviceTest::allocate_bytes(std::size_t bytes) const {
  CUdeviceptr memory = 0;
  EXPECT_CUDA(DEVICE(cuMemAlloc)(&memory, bytes));
  return memory;
}

}  // namespace cudahot::test
