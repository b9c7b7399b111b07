#include "lib/cuda/driver.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "lib/base/paths.hpp"
#include "lib/cuda/shared_object.hpp"

namespace cudahot::cuda {
namespace {

// cuGetProcAddress hands out the variant of a function that is right for a CUDA version: each
// function is asked for at the version in which the signature that <cuda.h> declares appeared.
class Resolver {
 public:
  explicit Resolver(const SharedObject& library) : library_(library) {
    get_with_status_ = reinterpret_cast<WithStatus>(library.symbol("cuGetProcAddress_v2"));
    get_ = reinterpret_cast<Plain>(library.symbol("cuGetProcAddress"));
  }

  // `exported`: the name of that variant in the library, for drivers without cuGetProcAddress.
  template <typename Signature>
  void operator()(DriverFunction<Signature>& function, const char* name, int version, const char* exported) const {
    void* found = nullptr;
    if (get_with_status_ != nullptr) {
      CUdriverProcAddressQueryResult status{};
      if (get_with_status_(name, &found, version, CU_GET_PROC_ADDRESS_DEFAULT, &status) != CUDA_SUCCESS) {
        found = nullptr;
      }
    } else if (get_ != nullptr) {
      if (get_(name, &found, version, CU_GET_PROC_ADDRESS_DEFAULT) != CUDA_SUCCESS) found = nullptr;
    }
    if (found == nullptr) found = library_.symbol(exported);
    if (found != nullptr) function = reinterpret_cast<typename DriverFunction<Signature>::Pointer>(found);
  }

  template <typename Signature>
  void operator()(DriverFunction<Signature>& function, const char* name, int version) const {
    (*this)(function, name, version, name);
  }

 private:
  using WithStatus = CUresult (*)(const char*, void**, int, cuuint64_t, CUdriverProcAddressQueryResult*);
  using Plain = CUresult (*)(const char*, void**, int, cuuint64_t);

  const SharedObject& library_;
  WithStatus get_with_status_ = nullptr;
  Plain get_ = nullptr;
};

void fill(DriverTable& table, const Resolver& resolve) {
  resolve(table.init, "cuInit", 2000);
  resolve(table.driver_get_version, "cuDriverGetVersion", 2020);
  resolve(table.get_error_name, "cuGetErrorName", 6000);
  resolve(table.get_error_string, "cuGetErrorString", 6000);

  resolve(table.device_get_count, "cuDeviceGetCount", 2000);
  resolve(table.device_get, "cuDeviceGet", 2000);
  resolve(table.device_get_name, "cuDeviceGetName", 2000);
  resolve(table.device_get_attribute, "cuDeviceGetAttribute", 2000);
  resolve(table.primary_context_retain, "cuDevicePrimaryCtxRetain", 7000);
  resolve(table.primary_context_release, "cuDevicePrimaryCtxRelease", 11000, "cuDevicePrimaryCtxRelease_v2");
  resolve(table.context_get_current, "cuCtxGetCurrent", 4000);
  resolve(table.context_set_current, "cuCtxSetCurrent", 4000);
  resolve(table.context_get_device, "cuCtxGetDevice", 2000);
  resolve(table.context_synchronize, "cuCtxSynchronize", 2000);

  resolve(table.library_load_data, "cuLibraryLoadData", 12000);
  resolve(table.library_unload, "cuLibraryUnload", 12000);
  resolve(table.library_get_kernel, "cuLibraryGetKernel", 12000);
  resolve(table.kernel_get_function, "cuKernelGetFunction", 12000);
  resolve(table.kernel_get_attribute, "cuKernelGetAttribute", 12000);
  resolve(table.kernel_get_param_info, "cuKernelGetParamInfo", 12040);
  resolve(table.launch_kernel, "cuLaunchKernel", 4000);
  resolve(table.launch_kernel_ex, "cuLaunchKernelEx", 11060);

  resolve(table.stream_create, "cuStreamCreate", 2000);
  resolve(table.stream_destroy, "cuStreamDestroy", 4000, "cuStreamDestroy_v2");
  resolve(table.stream_synchronize, "cuStreamSynchronize", 2000);
  resolve(table.stream_is_capturing, "cuStreamIsCapturing", 10000);
  resolve(table.stream_begin_capture, "cuStreamBeginCapture", 10010, "cuStreamBeginCapture_v2");
  resolve(table.stream_end_capture, "cuStreamEndCapture", 10000);
  resolve(table.thread_exchange_capture_mode, "cuThreadExchangeStreamCaptureMode", 10010);
  resolve(table.graph_destroy, "cuGraphDestroy", 10000);
  // By the name that <cuda.h> gives it: as cuGraphInstantiate the driver hands out, at every version, the older one,
  // which takes a log buffer and writes to it.
  resolve(table.graph_instantiate, "cuGraphInstantiateWithFlags", 11040);
  resolve(table.graph_exec_destroy, "cuGraphExecDestroy", 10000);
  resolve(table.graph_launch, "cuGraphLaunch", 10000);

  resolve(table.memory_get_info, "cuMemGetInfo", 3020, "cuMemGetInfo_v2");
  resolve(table.memory_allocate, "cuMemAlloc", 3020, "cuMemAlloc_v2");
  resolve(table.memory_free, "cuMemFree", 3020, "cuMemFree_v2");
  resolve(table.copy_to_device, "cuMemcpyHtoD", 3020, "cuMemcpyHtoD_v2");
  resolve(table.copy_to_host, "cuMemcpyDtoH", 3020, "cuMemcpyDtoH_v2");
  resolve(table.copy_2d_async, "cuMemcpy2DAsync", 3020, "cuMemcpy2DAsync_v2");
  resolve(table.array_create, "cuArray3DCreate", 3020, "cuArray3DCreate_v2");
  resolve(table.array_destroy, "cuArrayDestroy", 2000);
  resolve(table.surface_create, "cuSurfObjectCreate", 5000);
  resolve(table.surface_destroy, "cuSurfObjectDestroy", 5000);
  resolve(table.texture_create, "cuTexObjectCreate", 5000);
  resolve(table.texture_destroy, "cuTexObjectDestroy", 5000);
}

constexpr const char* kCpuDevice = "libcudahot-cpu-device.so";

using Table = std::shared_ptr<const DriverTable>;

// The tables of the libraries that are loaded, by the address of cuInit: a program may ask for its driver many times,
// and looking up every function takes about as long as all else of a cached start.
class KnownTables {
 public:
  Table find(const void* library) {
    const std::lock_guard lock(mutex_);
    const auto found = tables_.find(library);
    return found != tables_.end() ? found->second : nullptr;
  }
  void add(const void* library, Table table) {
    const std::lock_guard lock(mutex_);
    tables_.emplace(library, std::move(table));
  }

 private:
  std::mutex mutex_;
  std::map<const void*, Table> tables_;
};

Result<Table> make_table(SharedObject opened, const std::string& file) {
  static KnownTables known;
  const void* const library = opened.symbol("cuInit");
  if (auto table = library != nullptr ? known.find(library) : nullptr) return table;
  auto table = std::make_shared<DriverTable>();
  fill(*table, Resolver(opened));
  opened.release();  // never closed, see the header
  if (!table->init.present() || !table->launch_kernel.present()) {
    return fail(ErrorCode::environment,
                fmt::format("'{}' is not a CUDA driver: it lacks cuInit or cuLaunchKernel", file));
  }
  if (!table->library_load_data.present() || !table->kernel_get_function.present()) {
    int version = 0;
    table->driver_get_version(&version);
    return fail(ErrorCode::environment,
                fmt::format("the CUDA driver '{}' supports CUDA {}.{}, and cudahot needs a driver for CUDA 12.0 or "
                            "newer: update the NVIDIA driver",
                            file, version / 1000, version % 1000 / 10));
  }
  known.add(library, table);
  return table;
}

}  // namespace

Result<std::shared_ptr<const DriverTable>> load_driver(const std::string& file) {
  auto opened = SharedObject::open(file);
  if (opened) return make_table(std::move(*opened), file);
  return fail(ErrorCode::environment,
              fmt::format("no CUDA driver: {}. Kernels can only run where the NVIDIA driver is installed, which "
                          "brings {}, or on the CPU device, with CUDAHOT_DEVICE=cpu; without it, bundles and caches "
                          "can still be built and listed",
                          opened.error().message, file));
}

Result<std::shared_ptr<const DriverTable>> load_cpu_device() {
  const auto folder = base::executable_path().parent_path();
  for (const auto& place : {folder / kCpuDevice, folder.parent_path() / "lib" / kCpuDevice}) {
    std::error_code error;
    if (!std::filesystem::exists(place, error)) continue;
    auto opened = SharedObject::open(place.string());
    if (opened) return make_table(std::move(*opened), place.string());
    return fail(ErrorCode::environment, fmt::format("the CPU device cannot be loaded: {}", opened.error().message));
  }
  auto opened = SharedObject::open(kCpuDevice);
  if (opened) return make_table(std::move(*opened), kCpuDevice);
  return fail(
      ErrorCode::environment,
      fmt::format("no CPU device: {} is neither in '{}' nor in '{}', nor does the loader know it ({}). Put it "
                  "beside the program, or its folder into LD_LIBRARY_PATH",
                  kCpuDevice, folder.string(), (folder.parent_path() / "lib").string(), opened.error().message));
}

std::string describe(const DriverTable& driver, CUresult result) {
  const char* name = nullptr;
  const char* text = nullptr;
  if (driver.get_error_name(result, &name) != CUDA_SUCCESS || name == nullptr) {
    return fmt::format("CUDA driver error {}", static_cast<int>(result));
  }
  if (driver.get_error_string(result, &text) != CUDA_SUCCESS || text == nullptr) return name;
  return fmt::format("{} ({})", name, text);
}

bool is_fatal_for_context(CUresult result) {
  switch (result) {
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_LAUNCH_FAILED:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
      return true;
    default:
      return false;
  }
}

}  // namespace cudahot::cuda
