// cuModule*, cuFunc*, cuOccupancy*: code as one context sees it.
#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/enqueue.hpp"
#include "lib/cpu_device/function_attributes.hpp"
#include "lib/cpu_device/log.hpp"
#include "lib/cpu_device/module.hpp"

namespace cudahot::cpu {

bool read_file(const char* file, std::string& bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file, "rbe"), &std::fclose);
  if (stream == nullptr) return false;
  std::array<char, 65536> part;
  std::size_t count = 0;
  while ((count = std::fread(part.data(), 1, part.size(), stream.get())) != 0) bytes.append(part.data(), count);
  return std::ferror(stream.get()) == 0;
}

CUmodule module_of(const Context& context, const Library& library) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  for (const auto& module : HandleTable<Module>::instance().all()) {
    if (module->library == library.handle && module->context == context.handle) return module->handle;
  }
  auto module = std::make_shared<Module>();
  module->image = library.image;
  module->context = context.handle;
  module->library = library.handle;
  for (const auto& kernel : library.kernels) module->kernels.push_back(kernel->state);
  return HandleTable<Module>::instance().add(std::move(module));
}

void close(const Module& module) {
  if (module.library != nullptr) return;  // the library's business
  unload(module.image);
  for (const KernelPointer& kernel : module.kernels) forget_functions(*kernel);
}

}  // namespace cudahot::cpu

using cudahot::cpu::Context;
using cudahot::cpu::Entry;
using cudahot::cpu::find_handle;
using cudahot::cpu::HandleTable;
using cudahot::cpu::Image;
using cudahot::cpu::KernelPointer;
using cudahot::cpu::KernelState;
using cudahot::cpu::LaunchTarget;
using cudahot::cpu::Module;

namespace {

// nullptr: unknown, or of another context.
std::shared_ptr<Module> module_in(const Context& context, CUmodule handle) {
  auto module = find_handle<Module>(handle);
  if (module != nullptr && module->context == context.handle) return module;
  cudahot::cpu::misuse(CUDA_ERROR_INVALID_HANDLE,
                       module == nullptr ? "a module is used that does not exist, or was unloaded"
                                         : "a module is used while another context than its own is current");
  return nullptr;
}

// `action` gets the function's state.
template <typename Action>
CUresult with_function(CUfunction handle, Action action) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const LaunchTarget target = find_target(*entry, handle);
  if (target.state == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  return action(*target.state);
}

template <typename Action>
CUresult with_module(CUmodule handle, Action action) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const auto module = module_in(*entry, handle);
  return module == nullptr ? CUDA_ERROR_INVALID_HANDLE : action(*entry, *module);
}

}  // namespace

CUresult cuModuleLoadData(CUmodule* result, const void* image) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (result == nullptr || image == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto module = std::make_shared<Module>();
  if (const CUresult failed = Image::load(image, module->image); failed != CUDA_SUCCESS) return failed;
  module->context = entry->handle;
  module->kernels = cudahot::cpu::kernels_of(module->image);
  *result = HandleTable<Module>::instance().add(module);
  for (const KernelPointer& kernel : module->kernels) kernel->module = *result;
  return CUDA_SUCCESS;
}

CUresult cuModuleLoadDataEx(CUmodule* result, const void* image, unsigned int, CUjit_option*, void**) {
  return cuModuleLoadData(result, image);
}

CUresult cuModuleLoadFatBinary(CUmodule* result, const void* image) { return cuModuleLoadData(result, image); }

CUresult cuModuleLoad(CUmodule* result, const char* file) {
  if (file == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::string bytes;
  if (!cudahot::cpu::read_file(file, bytes)) return CUDA_ERROR_FILE_NOT_FOUND;
  return cuModuleLoadData(result, bytes.c_str());
}

CUresult cuModuleUnload(CUmodule handle) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (const CUresult code = cudahot::cpu::refuse_while_any_capture(); code != CUDA_SUCCESS) return code;
  const auto module = module_in(*entry, handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (module->library != nullptr) {
    return cudahot::cpu::misuse(CUDA_ERROR_NOT_PERMITTED, "cuModuleUnload of a library's module: unload the library");
  }
  HandleTable<Module>::instance().remove(handle);
  cudahot::cpu::close(*module);
  return CUDA_SUCCESS;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_EAGER_LOADING;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* result, CUmodule handle, const char* name) {
  return with_module(handle, [&](const Context& context, const Module& module) {
    if (result == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (const KernelPointer& kernel : module.kernels) {
      if (kernel->name != name) continue;
      *result = cudahot::cpu::function_in(context, kernel);
      return CUDA_SUCCESS;
    }
    return CUDA_ERROR_NOT_FOUND;
  });
}

CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule handle) {
  return with_module(handle, [&](const Context&, const Module& module) {
    if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = static_cast<unsigned>(module.kernels.size());
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int count, CUmodule handle) {
  return with_module(handle, [&](const Context& context, const Module& module) {
    if (functions == nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned index = 0; index < count && index < module.kernels.size(); ++index) {
      functions[index] = cudahot::cpu::function_in(context, module.kernels[index]);
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule handle, const char* name) {
  return with_module(handle, [&](const Context&, const Module& module) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CudahotCpuVariable* variable = module.image->variable(name);
    if (variable == nullptr) return CUDA_ERROR_NOT_FOUND;
    if (address != nullptr) *address = reinterpret_cast<CUdeviceptr>(variable->address);
    if (bytes != nullptr) *bytes = variable->size;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetModule(CUmodule* result, CUfunction handle) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  const LaunchTarget target = find_target(*entry, handle);
  if (target.state == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (result == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *result = target.state->module;
  if (const auto library = find_handle<cudahot::cpu::Library>(target.state->library)) {
    *result = cudahot::cpu::module_of(*entry, *library);
  }
  return CUDA_SUCCESS;
}

CUresult cuFuncGetName(const char** name, CUfunction handle) {
  return with_function(handle, [&](KernelState& function) {
    if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *name = function.name.c_str();
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute attribute, CUfunction handle) {
  return with_function(handle,
                       [&](KernelState& function) { return cudahot::cpu::get_attribute(function, attribute, value); });
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  return with_function(handle,
                       [&](KernelState& function) { return cudahot::cpu::set_attribute(function, attribute, value); });
}

CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache) {
  return with_function(handle, [](const KernelState&) { return CUDA_SUCCESS; });
}

CUresult cuFuncGetParamInfo(CUfunction handle, std::size_t index, std::size_t* offset, std::size_t* size) {
  return with_function(
      handle, [&](KernelState& function) { return cudahot::cpu::get_parameter(function, index, offset, size); });
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState* state, CUfunction handle) {
  return with_function(handle, [&](const KernelState&) {
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *state = CU_FUNCTION_LOADING_STATE_LOADED;
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncLoad(CUfunction handle) {
  return with_function(handle, [](const KernelState&) { return CUDA_SUCCESS; });
}

// A multiprocessor is a core, and a core runs one block at a time.
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction handle, int threads, std::size_t shared) {
  return with_function(handle, [&](KernelState& function) {
    if (blocks == nullptr || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
    int most = 0;
    cudahot::cpu::get_attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, &most);
    *blocks = threads <= most && shared <= static_cast<std::size_t>(function.max_dynamic_shared) ? 1 : 0;
    return CUDA_SUCCESS;
  });
}
