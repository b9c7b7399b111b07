// cuLibrary*, cuKernel*: code that is loaded once for all contexts.
#include <string>

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/enqueue.hpp"
#include "lib/cpu_device/function_attributes.hpp"
#include "lib/cpu_device/log.hpp"
#include "lib/cpu_device/module.hpp"

using cudahot::cpu::Entry;
using cudahot::cpu::find_handle;
using cudahot::cpu::HandleTable;
using cudahot::cpu::Image;
using cudahot::cpu::Kernel;
using cudahot::cpu::KernelState;
using cudahot::cpu::Library;
using cudahot::cpu::Module;

namespace {

CUresult unknown_library() {
  return cudahot::cpu::misuse(CUDA_ERROR_INVALID_HANDLE, "a library is used that does not exist, or was unloaded");
}

CUresult unknown_kernel() {
  return cudahot::cpu::misuse(CUDA_ERROR_INVALID_HANDLE,
                              "a kernel is used that does not exist, or whose library was unloaded");
}

CUresult variable(CUdeviceptr* address, std::size_t* bytes, CUlibrary handle, const char* name, bool managed) {
  const Entry entry(managed ? Entry::Needs::initialised : Entry::Needs::context);
  if (entry.refused()) return entry.error();
  const auto library = find_handle<Library>(handle);
  if (library == nullptr) return unknown_library();
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CudahotCpuVariable* found = library->image->variable(name);
  if (found == nullptr || (managed && found->space != CUDAHOT_CPU_MANAGED)) return CUDA_ERROR_NOT_FOUND;
  if (address != nullptr) *address = reinterpret_cast<CUdeviceptr>(found->address);
  if (bytes != nullptr) *bytes = found->size;
  return CUDA_SUCCESS;
}

template <typename Action>
CUresult with_library(CUlibrary handle, Action action) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  const auto library = find_handle<Library>(handle);
  if (library == nullptr) return unknown_library();
  return action(*library);
}

template <typename Action>
CUresult with_kernel(CUkernel handle, Action action) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  const auto kernel = find_handle<Kernel>(handle);
  if (kernel == nullptr) return unknown_kernel();
  return action(*kernel);
}

}  // namespace

CUresult cuLibraryLoadData(CUlibrary* result, const void* code, CUjit_option*, void**, unsigned int, CUlibraryOption*,
                           void**, unsigned int) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (result == nullptr || code == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto library = std::make_shared<Library>();
  if (const CUresult failed = Image::load(code, library->image); failed != CUDA_SUCCESS) return failed;
  *result = HandleTable<Library>::instance().add(library);
  for (auto& state : cudahot::cpu::kernels_of(library->image)) {
    state->library = *result;
    auto kernel = std::make_shared<Kernel>();
    kernel->state = std::move(state);
    HandleTable<Kernel>::instance().add(kernel);
    library->kernels.push_back(std::move(kernel));
  }
  return CUDA_SUCCESS;
}

CUresult cuLibraryLoadFromFile(CUlibrary* result, const char* file, CUjit_option* options, void** values,
                               unsigned int count, CUlibraryOption* library_options, void** library_values,
                               unsigned int library_count) {
  if (file == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::string bytes;
  if (!cudahot::cpu::read_file(file, bytes)) return CUDA_ERROR_FILE_NOT_FOUND;
  return cuLibraryLoadData(result, bytes.c_str(), options, values, count, library_options, library_values,
                           library_count);
}

CUresult cuLibraryUnload(CUlibrary handle) {
  if (const Entry entry(Entry::Needs::initialised); entry.refused()) return entry.error();
  if (const CUresult code = cudahot::cpu::refuse_while_any_capture(); code != CUDA_SUCCESS) return code;
  const auto library = HandleTable<Library>::instance().remove(handle);
  if (library == nullptr) return unknown_library();
  cudahot::cpu::unload(library->image);
  for (const auto& kernel : library->kernels) {
    HandleTable<Kernel>::instance().remove(kernel->handle);
    cudahot::cpu::forget_functions(*kernel->state);
  }
  HandleTable<Module>::instance().remove_if([&](const Module& module) { return module.library == handle; });
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel* result, CUlibrary handle, const char* name) {
  return with_library(handle, [&](const Library& library) {
    if (result == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (const auto& kernel : library.kernels) {
      if (kernel->state->name != name) continue;
      *result = kernel->handle;
      return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
  });
}

CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary handle) {
  return with_library(handle, [&](const Library& library) {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<unsigned>(library.kernels.size());
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned int count, CUlibrary handle) {
  return with_library(handle, [&](const Library& library) {
    if (kernels == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned index = 0; index < count && index < library.kernels.size(); ++index) {
      kernels[index] = library.kernels[index]->handle;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuLibraryGetModule(CUmodule* result, CUlibrary handle) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto library = find_handle<Library>(handle);
  if (library == nullptr) return unknown_library();
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *result = cudahot::cpu::module_of(*entry, *library);
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUlibrary library, const char* name) {
  return variable(address, bytes, library, name, false);
}

CUresult cuLibraryGetManaged(CUdeviceptr* address, std::size_t* bytes, CUlibrary library, const char* name) {
  return variable(address, bytes, library, name, true);
}

CUresult cuKernelGetFunction(CUfunction* result, CUkernel handle) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto kernel = find_handle<Kernel>(handle);
  if (kernel == nullptr) return unknown_kernel();
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *result = cudahot::cpu::function_in(*entry, kernel->state);
  return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary* result, CUkernel handle) {
  return with_kernel(handle, [&](const Kernel& kernel) {
    if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *result = kernel.state->library;
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetName(const char** name, CUkernel handle) {
  return with_kernel(handle, [&](const Kernel& kernel) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = kernel.state->name.c_str();
    return CUDA_SUCCESS;
  });
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel handle, CUdevice device) {
  return with_kernel(handle, [&](const Kernel& kernel) {
    if (!cudahot::cpu::is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return cudahot::cpu::get_attribute(*kernel.state, attribute, value);
  });
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel handle, CUdevice device) {
  return with_kernel(handle, [&](const Kernel& kernel) {
    if (!cudahot::cpu::is_device(device)) return CUDA_ERROR_INVALID_DEVICE;
    return cudahot::cpu::set_attribute(*kernel.state, attribute, value);
  });
}

CUresult cuKernelSetCacheConfig(CUkernel handle, CUfunc_cache, CUdevice device) {
  return with_kernel(handle, [&](const Kernel&) {
    return cudahot::cpu::is_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
  });
}

CUresult cuKernelGetParamInfo(CUkernel handle, std::size_t index, std::size_t* offset, std::size_t* size) {
  return with_kernel(
      handle, [&](const Kernel& kernel) { return cudahot::cpu::get_parameter(*kernel.state, index, offset, size); });
}
