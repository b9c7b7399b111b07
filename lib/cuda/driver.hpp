// The CUDA driver behind one table of functions, found at run time: nothing links libcuda.
// A function that the installed driver lacks answers CUDA_ERROR_NOT_SUPPORTED.
#pragma once

#include <memory>
#include <string>

#include <cuda.h>

#include "cudahot/result.hpp"

namespace cudahot::cuda {

template <typename Signature>
class DriverFunction;

// A driver function that can always be called.
template <typename... Arguments>
class DriverFunction<CUresult(Arguments...)> {
 public:
  using Pointer = CUresult (*)(Arguments...);

  DriverFunction() = default;
  DriverFunction(Pointer function) : function_(function) {}  // NOLINT: meant to be assigned from a function

  CUresult operator()(Arguments... arguments) const { return function_(arguments...); }
  bool present() const { return function_ != &absent; }

 private:
  static CUresult absent(Arguments...) { return CUDA_ERROR_NOT_SUPPORTED; }
  Pointer function_ = &absent;
};

struct DriverTable {
  DriverFunction<decltype(::cuInit)> init;
  DriverFunction<decltype(::cuDriverGetVersion)> driver_get_version;
  DriverFunction<decltype(::cuGetErrorName)> get_error_name;
  DriverFunction<decltype(::cuGetErrorString)> get_error_string;

  DriverFunction<decltype(::cuDeviceGetCount)> device_get_count;
  DriverFunction<decltype(::cuDeviceGet)> device_get;
  DriverFunction<decltype(::cuDeviceGetName)> device_get_name;
  DriverFunction<decltype(::cuDeviceGetAttribute)> device_get_attribute;
  DriverFunction<decltype(::cuDevicePrimaryCtxRetain)> primary_context_retain;
  DriverFunction<decltype(::cuDevicePrimaryCtxRelease)> primary_context_release;
  DriverFunction<decltype(::cuCtxGetCurrent)> context_get_current;
  DriverFunction<decltype(::cuCtxSetCurrent)> context_set_current;
  DriverFunction<decltype(::cuCtxGetDevice)> context_get_device;
  DriverFunction<decltype(::cuCtxSynchronize)> context_synchronize;

  DriverFunction<decltype(::cuLibraryLoadData)> library_load_data;
  DriverFunction<decltype(::cuLibraryUnload)> library_unload;
  DriverFunction<decltype(::cuLibraryGetKernel)> library_get_kernel;
  DriverFunction<decltype(::cuKernelGetFunction)> kernel_get_function;
  DriverFunction<decltype(::cuKernelGetAttribute)> kernel_get_attribute;
  DriverFunction<decltype(::cuKernelGetParamInfo)> kernel_get_param_info;
  DriverFunction<decltype(::cuLaunchKernel)> launch_kernel;
  DriverFunction<decltype(::cuLaunchKernelEx)> launch_kernel_ex;

  DriverFunction<decltype(::cuStreamCreate)> stream_create;
  DriverFunction<decltype(::cuStreamDestroy)> stream_destroy;
  DriverFunction<decltype(::cuStreamSynchronize)> stream_synchronize;
  DriverFunction<decltype(::cuStreamIsCapturing)> stream_is_capturing;
  DriverFunction<decltype(::cuStreamBeginCapture)> stream_begin_capture;
  DriverFunction<decltype(::cuStreamEndCapture)> stream_end_capture;
  DriverFunction<decltype(::cuThreadExchangeStreamCaptureMode)> thread_exchange_capture_mode;
  DriverFunction<decltype(::cuGraphDestroy)> graph_destroy;
  DriverFunction<decltype(::cuGraphInstantiate)> graph_instantiate;
  DriverFunction<decltype(::cuGraphExecDestroy)> graph_exec_destroy;
  DriverFunction<decltype(::cuGraphLaunch)> graph_launch;

  DriverFunction<decltype(::cuMemGetInfo)> memory_get_info;
  DriverFunction<decltype(::cuMemAlloc)> memory_allocate;
  DriverFunction<decltype(::cuMemFree)> memory_free;
  DriverFunction<decltype(::cuMemcpyHtoD)> copy_to_device;
  DriverFunction<decltype(::cuMemcpyDtoH)> copy_to_host;
  DriverFunction<decltype(::cuMemcpy2DAsync)> copy_2d_async;
  DriverFunction<decltype(::cuArray3DCreate)> array_create;
  DriverFunction<decltype(::cuArrayDestroy)> array_destroy;
  DriverFunction<decltype(::cuSurfObjectCreate)> surface_create;
  DriverFunction<decltype(::cuSurfObjectDestroy)> surface_destroy;
  DriverFunction<decltype(::cuTexObjectCreate)> texture_create;
  DriverFunction<decltype(::cuTexObjectDestroy)> texture_destroy;
};

// Loads libcuda and fills the table. The library stays loaded to the end of the process: the
// driver has threads of its own. Does not initialise CUDA.
// Errors: environment, naming the library and what to do; also when it is too old for libraries
// (before CUDA 12.0).
Result<std::shared_ptr<const DriverTable>> load_driver(const std::string& file = "libcuda.so.1");

// The CPU device in place of the driver: libcudahot-cpu-device.so beside the running program, in ../lib from there,
// else where the loader looks. Errors: environment, naming the places.
Result<std::shared_ptr<const DriverTable>> load_cpu_device();

// "CUDA_ERROR_INVALID_VALUE (invalid argument)"
std::string describe(const DriverTable& driver, CUresult result);

// Whether the context can do nothing any more after this result.
bool is_fatal_for_context(CUresult result);

}  // namespace cudahot::cuda
