#include "tests/unit/cpu_device/code/code_under_test.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mutex>

#include "lib/cpu_device/device_extension.h"

namespace cudahot::test {
namespace {

void* device_symbol(const char* name) {
  static void* const library = ::dlopen(CUDAHOT_CPU_DEVICE, RTLD_NOW | RTLD_LOCAL);
  void* symbol = library == nullptr ? nullptr : ::dlsym(library, name);
  if (symbol == nullptr) ADD_FAILURE() << name << ": " << ::dlerror();
  return symbol;
}

// `DEVICE(cuMemAlloc)(...)` calls the device's function of the name that <cuda.h> makes of it.
#define CUDAHOT_TEXT(name) #name
#define CUDAHOT_TEXT_OF(name) CUDAHOT_TEXT(name)
#define DEVICE(function) (reinterpret_cast<decltype(&::function)>(device_symbol(CUDAHOT_TEXT_OF(function))))

std::mutex log_mutex;
std::string log_text;

void append_log(std::int32_t, const char* text, void*) {
  const std::lock_guard lock(log_mutex);
  log_text += text;
}

std::string take_log() {
  const std::lock_guard lock(log_mutex);
  return std::exchange(log_text, {});
}

void expect_success(CUresult code, const char* what) { EXPECT_EQ(code, CUDA_SUCCESS) << what; }

}  // namespace

Code::Code(std::string blob) : blob_(std::move(blob)) {
  DEVICE(cudahotCpuSetLog)(&append_log, nullptr);
  expect_success(DEVICE(cuInit)(0), "cuInit");
  load();
}

Code::~Code() { unload(); }

void Code::load() {
  take_log();
  expect_success(DEVICE(cuDevicePrimaryCtxRetain)(&context_, 0), "cuDevicePrimaryCtxRetain");
  expect_success(DEVICE(cuCtxSetCurrent)(context_), "cuCtxSetCurrent");
  const CUresult code = DEVICE(cuLibraryLoadData)(&library_, blob_.data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  EXPECT_EQ(code, CUDA_SUCCESS) << take_log();
}

std::string Code::refusal(const std::string& blob) {
  DEVICE(cudahotCpuSetLog)(&append_log, nullptr);
  expect_success(DEVICE(cuInit)(0), "cuInit");
  take_log();
  CUlibrary library = nullptr;
  EXPECT_EQ(DEVICE(cuLibraryLoadData)(&library, blob.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_ERROR_INVALID_IMAGE);
  return take_log();
}

void Code::unload() {
  DEVICE(cuLibraryUnload)(library_);
  DEVICE(cuCtxSetCurrent)(nullptr);
  expect_success(DEVICE(cuDevicePrimaryCtxReset)(0), "cuDevicePrimaryCtxReset");
  DEVICE(cuDevicePrimaryCtxRelease)(0);
}

CUkernel Code::kernel(const std::string& name) const {
  CUkernel found = nullptr;
  EXPECT_EQ(DEVICE(cuLibraryGetKernel)(&found, library_, name.c_str()), CUDA_SUCCESS) << name;
  return found;
}

Outcome Code::run(const std::string& name, const Launch& launch, void** arguments) {
  take_log();
  ::testing::internal::CaptureStdout();
  const auto& [grid, block, shared] = launch;
  CUresult code = DEVICE(cuLaunchKernel)(reinterpret_cast<CUfunction>(kernel(name)), grid.x, grid.y, grid.z, block.x,
                                         block.y, block.z, shared, nullptr, arguments, nullptr);
  if (code == CUDA_SUCCESS) code = DEVICE(cuCtxSynchronize)();
  Outcome outcome{take_log(), ::testing::internal::GetCapturedStdout()};
  if (code == CUDA_SUCCESS) return outcome;
  if (outcome.fault.empty()) outcome.fault = fmt::format("error {}", static_cast<int>(code));
  unload();
  load();
  return outcome;
}

int Code::attribute(const std::string& name, CUfunction_attribute which) const {
  int value = -1;
  expect_success(DEVICE(cuKernelGetAttribute)(&value, which, kernel(name), 0), "cuKernelGetAttribute");
  return value;
}

std::vector<std::pair<std::size_t, std::size_t>> Code::parameters(const std::string& name) const {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  std::size_t offset = 0;
  std::size_t size = 0;
  while (DEVICE(cuKernelGetParamInfo)(kernel(name), found.size(), &offset, &size) == CUDA_SUCCESS) {
    found.emplace_back(offset, size);
  }
  return found;
}

Variable Code::variable(const std::string& name) const { return find(DEVICE(cuLibraryGetGlobal), name); }

Variable Code::managed(const std::string& name) const { return find(DEVICE(cuLibraryGetManaged), name); }

Variable Code::find(decltype(&cuLibraryGetGlobal) get, const std::string& name) const {
  CUdeviceptr address = 0;
  Variable found;
  if (get(&address, &found.size, library_, name.c_str()) != CUDA_SUCCESS) return {};
  found.address = reinterpret_cast<void*>(address);
  return found;
}

region::Slice make_slice(std::string text, const std::vector<std::string>& kernels) {
  region::Slice slice;
  slice.text = std::move(text);
  slice.uses_helper_library = slice.text.find("cudahot/device.cuh") != std::string::npos;
  region::FileRecord file;
  file.path = "/home/user/shade.cu";
  file.virtual_name = "shade.cu";
  file.role = region::FileRecord::Role::main;
  slice.files.push_back(file);
  for (const auto& name : kernels) {
    region::Kernel kernel;
    kernel.name = name;
    kernel.name_expression = name;
    slice.kernels.push_back(kernel);
  }
  return slice;
}

Result<cpu_device::CpuObject> compile(const region::Slice& slice, const cpu_device::CpuCompileOptions& options) {
  static const auto compiler = cpu_device::find_cpu_compiler();
  if (!compiler) return tl::unexpected<Error>(compiler.error());
  return cpu_device::compile_for_cpu(slice, *compiler, options);
}

std::unique_ptr<Code> build(const region::Slice& slice, const cpu_device::CpuCompileOptions& options) {
  auto object = compile(slice, options);
  if (object) return std::make_unique<Code>(std::move(object->blob));
  std::string report = object.error().message;
  for (const auto& d : object.error().diagnostics) {
    report += fmt::format("\n{}:{}:{}: {}\n{}", d.location.file, d.location.line, d.location.column, d.text, d.frame);
  }
  ADD_FAILURE() << report;
  return nullptr;
}

}  // namespace cudahot::test
