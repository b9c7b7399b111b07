#include "lib/cpu_device/module.hpp"

#include <algorithm>
#include <mutex>

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <fmt/format.h>

#include "lib/cpu_device/log.hpp"
#include "lib/cpu_device/memory.hpp"
#include "lib/cpu_device/services.hpp"

namespace cudahot::cpu {
namespace {

// Of all kernels of an object together; each may have kMaxStaticShared.
constexpr std::size_t kMostShared = std::size_t{64} << 20;

CUresult refuse_image(std::string_view reason) {
  log_warning(fmt::format("a code object is refused: {}", reason));
  return CUDA_ERROR_INVALID_IMAGE;
}

// A name of /proc/self/fd/FD that no other load has used: the loader takes objects of the same
// name for the same object. Each bit of the number is "/." or "//." in the path.
std::string fresh_name(int descriptor) {
  static std::atomic<std::uint32_t> counter{0};
  std::string name = "/proc";
  for (std::uint32_t number = ++counter; number != 0; number >>= 1) name += (number & 1U) != 0 ? "/." : "//.";
  return name + fmt::format("/self/fd/{}", descriptor);
}

// Loads the bytes as the dynamic loader would load a file. nullptr: reason is set.
void* open_object(const void* image, std::size_t size, std::string& reason) {
  const int descriptor = ::memfd_create("cudahot-cpu-code", MFD_CLOEXEC);
  if (descriptor < 0) {
    reason = "no memory file";
    return nullptr;
  }
  const auto* bytes = static_cast<const char*>(image);
  std::size_t written = 0;
  while (written < size) {
    const ssize_t count = ::write(descriptor, bytes + written, size - written);
    if (count <= 0) break;
    written += static_cast<std::size_t>(count);
  }
  void* object = nullptr;
  if (written != size) {
    reason = "not enough memory, or its headers tell a wrong size";
  } else {
    object = ::dlopen(fresh_name(descriptor).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (object == nullptr) {
      const char* text = ::dlerror();
      reason = text == nullptr ? "the loader refuses it" : text;
    }
  }
  ::close(descriptor);
  return object;
}

}  // namespace

CUresult Image::load(const void* image, std::shared_ptr<Image>& loaded) {
  const auto size = elf_size(image);
  if (!size) return refuse_image("it is not a shared object for x86-64 (was it built for a GPU?)");
  const SharedLayout shared = shared_layout(image);
  if (shared.bytes > kMostShared || shared.alignment > kMostShared) {
    return refuse_image(fmt::format("its __shared__ variables have {} bytes", shared.bytes));
  }
  std::string reason;
  void* object = open_object(image, *size, reason);
  if (object == nullptr) return refuse_image(reason);
  const auto* module = static_cast<const CudahotCpuModule*>(::dlsym(object, "cudahot_cpu_module"));
  if (module == nullptr || module->abi_version != CUDAHOT_CPU_ABI_VERSION || module->services == nullptr) {
    ::dlclose(object);
    return refuse_image(module == nullptr ? "it exports no cudahot_cpu_module"
                                          : "it was built for another version of the CPU device");
  }
  *module->services = &services();
  ++counters().loaded_images;
  loaded.reset(new Image(object, module, shared));
  for (std::uint32_t index = 0; index < module->variable_count; ++index) {
    const CudahotCpuVariable& variable = module->variables[index];
    MemoryMap::instance().add(
        {.start = reinterpret_cast<std::uintptr_t>(variable.address),
         .bytes = variable.size,
         .kind = variable.space == CUDAHOT_CPU_MANAGED ? MemoryKind::managed : MemoryKind::variable});
  }
  return CUDA_SUCCESS;
}

Image::~Image() {
  for (std::uint32_t index = 0; index < module_->variable_count; ++index) {
    MemoryMap::instance().remove(reinterpret_cast<std::uintptr_t>(module_->variables[index].address));
  }
  ::dlclose(object_);
  --counters().loaded_images;
}

const CudahotCpuVariable* Image::variable(std::string_view name) const {
  for (std::uint32_t index = 0; index < module_->variable_count; ++index) {
    if (name == module_->variables[index].name) return &module_->variables[index];
  }
  return nullptr;
}

std::vector<KernelPointer> kernels_of(const std::shared_ptr<Image>& image) {
  std::vector<KernelPointer> kernels;
  for (std::uint32_t index = 0; index < image->module().kernel_count; ++index) {
    auto state = std::make_shared<KernelState>();
    state->image = image;
    state->code = &image->module().kernels[index];
    state->name = state->code->name;
    // Static memory counts against what a block has without opting in to more.
    state->max_dynamic_shared =
        static_cast<int>(kMaxDynamicShared - std::min(kMaxDynamicShared, state->code->static_shared_bytes));
    kernels.push_back(std::move(state));
  }
  return kernels;
}

CUfunction function_in(const Context& context, const KernelPointer& kernel) {
  const std::lock_guard lock(kernel->functions_mutex);
  for (const auto& function : kernel->functions) {
    if (function->context == context.handle) return function->handle;
  }
  auto function = std::make_shared<Function>();
  function->state = kernel;
  function->context = context.handle;
  kernel->functions.push_back(function);
  return HandleTable<Function>::instance().add(std::move(function));
}

void forget_functions(KernelState& kernel) {
  const std::lock_guard lock(kernel.functions_mutex);
  for (const auto& function : kernel.functions) HandleTable<Function>::instance().remove(function->handle);
  kernel.functions.clear();
}

LaunchTarget find_target(const Context& context, CUfunction handle) {
  LaunchTarget target;
  if (const auto function = find_handle<Function>(handle)) {
    target.state = function->state.lock();
    if (target.state != nullptr && function->context != context.handle) {
      misuse(CUDA_ERROR_INVALID_HANDLE,
             fmt::format("function '{}' is used while another context than its own is current", target.state->name));
      return {};
    }
  } else if (const auto kernel = find_handle<Kernel>(reinterpret_cast<CUkernel>(handle))) {
    target.state = kernel->state;
    target.kernel = kernel->handle;
  }
  if (target.state == nullptr) {
    misuse(CUDA_ERROR_INVALID_HANDLE, "a function is used that does not exist, or whose library was unloaded");
  } else if (target.state->image->unloaded) {
    misuse(CUDA_ERROR_INVALID_HANDLE,
           fmt::format("function '{}' is used after its library was unloaded", target.state->name));
    return {};
  }
  return target;
}

void unload(const std::shared_ptr<Image>& image) {
  image->unloaded = true;
  const auto contexts = HandleTable<Context>::instance().all();
  if (std::ranges::any_of(contexts, [](const ContextPointer& context) { return context->busy(); })) {
    ++counters().drains;
  }
  for (const ContextPointer& context : contexts) context->drain();
}

}  // namespace cudahot::cpu
