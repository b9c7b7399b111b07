// cuGetProcAddress: functions by the names that <cuda.h> has before its macros.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <dlfcn.h>

#include "lib/cpu_device/driver_api.hpp"
#include "lib/cpu_device/unsupported.hpp"

namespace {

// Functions whose signature changed, and the version that brought the one we have. A caller that
// was written against an older version must not get it.
struct Since {
  std::string_view name;
  int version;
};
constexpr std::array kChanged{
    Since{"cuCtxCreate", 12050},
    Since{"cuGetProcAddress", 12000},
    Since{"cuGraphAddDependencies", 12030},
    Since{"cuGraphAddKernelNode", 12000},
    Since{"cuGraphAddNode", 12030},
    Since{"cuGraphExecKernelNodeSetParams", 12000},
    Since{"cuGraphExecUpdate", 12000},
    Since{"cuGraphGetEdges", 12030},
    Since{"cuGraphKernelNodeGetParams", 12000},
    Since{"cuGraphKernelNodeSetParams", 12000},
    Since{"cuGraphNodeGetDependencies", 12030},
    Since{"cuGraphNodeGetDependentNodes", 12030},
    Since{"cuGraphRemoveDependencies", 12030},
    Since{"cuMemAdvise", 12020},
    Since{"cuMemPrefetchAsync", 12020},
    Since{"cuStreamGetCaptureInfo", 12030},
    Since{"cuStreamUpdateCaptureDependencies", 12030},
};

void* own_symbol(const std::string& name) {
  static void* const self = [] {
    Dl_info info{};
    return ::dladdr(reinterpret_cast<const void*>(&cuInit), &info) == 0
               ? nullptr
               : ::dlopen(info.dli_fname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  }();
  return self == nullptr ? nullptr : ::dlsym(self, name.c_str());
}

// The newest variant that is supported, else the newest that refuses; nullptr: there is none.
void* find(const std::string& name) {
  void* refusing = nullptr;
  for (const char* suffix : {"_v4", "_v3", "_v2", ""}) {
    const std::string exported = name + suffix;
    void* symbol = own_symbol(exported);
    if (symbol == nullptr) continue;
    if (!cudahot::cpu::is_unsupported(exported)) return symbol;
    if (refusing == nullptr) refusing = symbol;
  }
  return refusing;
}

}  // namespace

CUresult cuGetProcAddress(const char* name, void** function, int version, cuuint64_t flags,
                          CUdriverProcAddressQueryResult* status) {
  if (name == nullptr || function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const std::string wanted = name;
  CUdriverProcAddressQueryResult result = CU_GET_PROC_ADDRESS_SUCCESS;
  const auto changed = std::ranges::find(kChanged, wanted, &Since::name);
  *function = nullptr;
  if ((flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0) {
    result = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;  // there are no such variants
  } else if (changed != kChanged.end() && version < changed->version) {
    result = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
  } else {
    *function = find(wanted);
    if (*function == nullptr || !wanted.starts_with("cu")) result = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  }
  if (status != nullptr) *status = result;
  return result == CU_GET_PROC_ADDRESS_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
