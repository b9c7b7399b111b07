// Loaded code objects and the kernels in them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/driver_api.hpp"
#include "lib/cpu_device/elf_size.hpp"
#include "lib/cpu_device/module_abi.h"

namespace cudahot::cpu {

// A code object in the process. Its variables have one storage, whatever the context.
class Image {
 public:
  // `image` is an ELF file in memory, of a size that its headers tell. CUDA_ERROR_INVALID_IMAGE,
  // with the reason in the log, for everything that is not code for this device.
  static CUresult load(const void* image, std::shared_ptr<Image>& loaded);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  const CudahotCpuModule& module() const { return *module_; }
  const CudahotCpuVariable* variable(std::string_view name) const;
  const SharedLayout& shared() const { return shared_; }

  // Nothing new may be launched from it. What is queued already runs: work and graphs refer to
  // the image, and keep its code mapped.
  std::atomic<bool> unloaded{false};

 private:
  Image(void* object, const CudahotCpuModule* module, const SharedLayout& shared)
      : object_(object), module_(module), shared_(shared) {}
  void* object_;
  const CudahotCpuModule* module_;
  SharedLayout shared_;
};

struct Function;

// What the driver keeps of a kernel, whichever handles name it.
struct KernelState {
  std::shared_ptr<Image> image;
  const CudahotCpuKernel* code = nullptr;  // valid until the image is unloaded
  std::string name;
  CUlibrary library = nullptr;  // nullptr: of a module
  CUmodule module = nullptr;
  std::mutex functions_mutex;
  std::vector<std::shared_ptr<Function>> functions;  // one a context, made when asked for
  std::atomic<int> max_dynamic_shared{static_cast<int>(kMaxDynamicShared)};
  std::atomic<int> preferred_carveout{-1};
};
using KernelPointer = std::shared_ptr<KernelState>;

struct Kernel {
  CUkernel handle = nullptr;
  KernelPointer state;
};

// A kernel in one context.
struct Function {
  CUfunction handle = nullptr;
  std::weak_ptr<KernelState> state;
  CUcontext context = nullptr;
};

// What a CUlibrary is.
struct Library {
  CUlibrary handle = nullptr;
  std::shared_ptr<Image> image;
  std::vector<std::shared_ptr<Kernel>> kernels;
};

// An image in one context: one of its own, or that of a library.
struct Module {
  CUmodule handle = nullptr;
  std::shared_ptr<Image> image;
  CUcontext context = nullptr;
  CUlibrary library = nullptr;  // the library it stands for, if any
  std::vector<KernelPointer> kernels;
};

// Kernels of the image; their `library` and `module` are to be set.
std::vector<KernelPointer> kernels_of(const std::shared_ptr<Image>& image);

// The function of a kernel in a context: one handle for each pair.
CUfunction function_in(const Context& context, const KernelPointer& kernel);

// The library's module in a context: one handle for each pair.
CUmodule module_of(const Context& context, const Library& library);

// Unloads what a module that is not a library's has loaded. Its handle is gone already.
void close(const Module& module);

// false: it cannot be read.
bool read_file(const char* file, std::string& bytes);

// Before the kernel goes: handles of its functions become unknown.
void forget_functions(KernelState& kernel);

// By handle of a function or, as everywhere in the driver, of a kernel in its place. nullptr, and
// a word in the log, when unknown, unloaded or of another context.
struct LaunchTarget {
  KernelPointer state;
  CUkernel kernel = nullptr;  // set when it was named by kernel
};
LaunchTarget find_target(const Context& context, CUfunction handle);

// Ends launches from the image and waits for what is queued in all contexts.
void unload(const std::shared_ptr<Image>& image);

}  // namespace cudahot::cpu
