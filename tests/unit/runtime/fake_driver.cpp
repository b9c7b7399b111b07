#include "tests/unit/runtime/fake_driver.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include <elf.h>

namespace cudahot::runtime::testing {
namespace {

FakeDriver* active = nullptr;
thread_local CUcontext current_context = nullptr;

CUcontext primary() {
  static int place = 0;
  return reinterpret_cast<CUcontext>(&place);
}

// The driver is not told how long a CUBIN is: an ELF file says so itself, other text ends with 0.
std::string bytes_of(const char* code) {
  if (std::strncmp(code, ELFMAG, SELFMAG) != 0) return code;
  Elf64_Ehdr header{};
  std::memcpy(&header, code, sizeof(header));
  const std::size_t sections = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  const std::size_t segments = header.e_phoff + std::size_t{header.e_phnum} * header.e_phentsize;
  return {code, std::max(sections, segments)};
}

}  // namespace

struct FakeFunctions {
  static CUresult init(unsigned) {
    const std::lock_guard lock(active->mutex_);
    active->initialised_ = true;
    return CUDA_SUCCESS;
  }
  static CUresult device_get(CUdevice* device, int) {
    *device = 0;
    return CUDA_SUCCESS;
  }
  static CUresult device_get_name(char* name, int length, CUdevice) {
    std::strncpy(name, "Fake GPU", static_cast<std::size_t>(length));
    return CUDA_SUCCESS;
  }
  static CUresult device_get_attribute(int* value, CUdevice_attribute attribute, CUdevice) {
    switch (attribute) {
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *value = 9;
        break;
      case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
        *value = 0;
        break;
      case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        *value = 49152;
        break;
      case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
        *value = 65536;
        break;
      case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = 1024;
        break;
      default:
        return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
  }
  static CUresult retain(CUcontext* context, CUdevice) {
    const std::lock_guard lock(active->mutex_);
    ++active->retained_;
    *context = primary();
    return CUDA_SUCCESS;
  }
  static CUresult release(CUdevice) {
    const std::lock_guard lock(active->mutex_);
    if (active->retained_ == 0) active->misuse("primary context released more often than retained");
    else --active->retained_;
    return CUDA_SUCCESS;
  }
  static CUresult get_current(CUcontext* context) {
    *context = current_context;
    return CUDA_SUCCESS;
  }
  static CUresult set_current(CUcontext context) {
    current_context = context;
    return CUDA_SUCCESS;
  }
  static CUresult get_device(CUdevice* device) {
    *device = 0;
    return current_context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
  }
  static bool in_context(const char* what) {
    if (current_context == primary()) return true;
    active->misuse(std::string(what) + " without the context being current");
    return false;
  }

  static void drain() {
    for (auto& library : active->libraries_) library->running = 0;
  }

  static CUresult synchronise() {
    const std::lock_guard lock(active->mutex_);
    ++active->synchronisations_;
    if (!in_context("synchronise")) return CUDA_ERROR_INVALID_CONTEXT;
    if (active->capture_ || active->captured_stream_ != nullptr) {
      active->misuse("synchronised while a capture was open");
      return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    drain();
    return CUDA_SUCCESS;
  }
  static CUresult load(CUlibrary* handle, const void* code, CUjit_option*, void**, unsigned, CUlibraryOption*, void**,
                       unsigned) {
    const std::lock_guard lock(active->mutex_);
    if (!active->initialised_) active->misuse("loaded before cuInit");
    if (active->capture_) active->misuse("loaded while a capture was open");
    if (active->load_result_ != CUDA_SUCCESS) return active->load_result_;
    auto library = std::make_unique<FakeDriver::Library>();
    library->cubin = bytes_of(static_cast<const char*>(code));
    *handle = reinterpret_cast<CUlibrary>(library.get());
    active->libraries_.push_back(std::move(library));
    ++active->loads_;
    ++active->live_;
    active->most_live_ = std::max(active->most_live_, active->live_);
    return CUDA_SUCCESS;
  }
  static CUresult unload(CUlibrary handle) {
    const std::lock_guard lock(active->mutex_);
    auto* const library = reinterpret_cast<FakeDriver::Library*>(handle);
    in_context("unload");
    if (!library->loaded) active->misuse("unloaded twice");
    drain();
    if (library->in_graph) active->misuse("unloaded while a graph held it");
    if (library->launching != 0) active->misuse("unloaded while a thread was launching from it");
    if (active->capture_) active->misuse("unloaded while a capture was open");
    library->loaded = false;
    library->cubin.clear();
    ++active->unloads_;
    --active->live_;
    return CUDA_SUCCESS;
  }
  static CUresult get_kernel(CUkernel* kernel, CUlibrary handle, const char* name) {
    const std::lock_guard lock(active->mutex_);
    auto* const library = reinterpret_cast<FakeDriver::Library*>(handle);
    if (!library->loaded) active->misuse("looked for a kernel in an unloaded library");
    if (library->cubin.find(name) == std::string::npos) return CUDA_ERROR_NOT_FOUND;
    active->functions_.push_back(std::make_unique<FakeDriver::Function>(FakeDriver::Function{library, name, false}));
    *kernel = reinterpret_cast<CUkernel>(active->functions_.back().get());
    return CUDA_SUCCESS;
  }
  static CUresult get_function(CUfunction* function, CUkernel kernel) {
    const std::lock_guard lock(active->mutex_);
    if (!in_context("made a function resident")) return CUDA_ERROR_INVALID_CONTEXT;
    auto* const found = reinterpret_cast<FakeDriver::Function*>(kernel);
    if (!found->library->loaded) active->misuse("resolved a kernel of an unloaded library");
    drain();
    found->resolved = true;
    *function = reinterpret_cast<CUfunction>(found);
    return CUDA_SUCCESS;
  }
  static CUresult launch(CUfunction handle, unsigned, unsigned, unsigned, unsigned x, unsigned y, unsigned z, unsigned,
                         CUstream stream, void** arguments, void**) {
    auto* const function = reinterpret_cast<FakeDriver::Function*>(handle);
    std::function<void()> on_launch;
    {
      const std::lock_guard lock(active->mutex_);
      if (current_context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
      in_context("launched");
      if (active->launch_result_ != CUDA_SUCCESS) return active->launch_result_;
      if (!function->resolved) active->misuse("launched a function that was not resolved");
      if (!function->library->loaded) active->misuse("launched a function of an unloaded library");
      ++function->library->launching;
      on_launch = active->on_launch_;
    }
    if (on_launch) on_launch();
    const std::lock_guard lock(active->mutex_);
    --function->library->launching;
    if (stream != nullptr && stream == active->captured_stream_) function->library->in_graph = true;
    else ++function->library->running;
    ++active->launch_count_;
    if (active->keep_) {
      active->launches_.push_back({function->library->cubin, function->kernel, x * y * z, stream, arguments});
    }
    return CUDA_SUCCESS;
  }
  static CUresult is_capturing(CUstream stream, CUstreamCaptureStatus* status) {
    const std::lock_guard lock(active->mutex_);
    *status = CU_STREAM_CAPTURE_STATUS_NONE;
    if (stream != CU_STREAM_LEGACY) {
      if (stream == active->captured_stream_) *status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
      return CUDA_SUCCESS;
    }
    in_context("asked for captures");
    return active->capture_ ? CUDA_ERROR_STREAM_CAPTURE_IMPLICIT : CUDA_SUCCESS;
  }
  static CUresult error_name(CUresult result, const char** name) {
    switch (result) {
      case CUDA_ERROR_ILLEGAL_ADDRESS:
        *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
        break;
      case CUDA_ERROR_INVALID_VALUE:
        *name = "CUDA_ERROR_INVALID_VALUE";
        break;
      case CUDA_ERROR_OUT_OF_MEMORY:
        *name = "CUDA_ERROR_OUT_OF_MEMORY";
        break;
      default:
        *name = "CUDA_ERROR_OTHER";
        break;
    }
    return CUDA_SUCCESS;
  }
};

FakeDriver::FakeDriver() : table_(std::make_shared<cuda::DriverTable>()) {
  active = this;
  current_context = nullptr;
  cuda::DriverTable& table = *table_;
  table.init = FakeFunctions::init;
  table.device_get = FakeFunctions::device_get;
  table.device_get_name = FakeFunctions::device_get_name;
  table.device_get_attribute = FakeFunctions::device_get_attribute;
  table.primary_context_retain = FakeFunctions::retain;
  table.primary_context_release = FakeFunctions::release;
  table.context_get_current = FakeFunctions::get_current;
  table.context_set_current = FakeFunctions::set_current;
  table.context_get_device = FakeFunctions::get_device;
  table.context_synchronize = FakeFunctions::synchronise;
  table.library_load_data = FakeFunctions::load;
  table.library_unload = FakeFunctions::unload;
  table.library_get_kernel = FakeFunctions::get_kernel;
  table.kernel_get_function = FakeFunctions::get_function;
  table.launch_kernel = FakeFunctions::launch;
  table.stream_is_capturing = FakeFunctions::is_capturing;
  table.get_error_name = FakeFunctions::error_name;
}

FakeDriver::~FakeDriver() { active = nullptr; }

CUcontext FakeDriver::context() const { return primary(); }
void FakeDriver::make_current(CUcontext context) { current_context = context; }

std::vector<std::string> FakeDriver::misuses() const {
  const std::lock_guard lock(mutex_);
  return misuses_;
}
std::vector<FakeDriver::Launch> FakeDriver::launches() const {
  const std::lock_guard lock(mutex_);
  return launches_;
}
FakeDriver::Launch FakeDriver::last_launch() const {
  const std::lock_guard lock(mutex_);
  return launches_.empty() ? Launch{} : launches_.back();
}
std::size_t FakeDriver::launch_count() const {
  const std::lock_guard lock(mutex_);
  return launch_count_;
}
std::size_t FakeDriver::live_libraries() const {
  const std::lock_guard lock(mutex_);
  return live_;
}
std::size_t FakeDriver::most_live_libraries() const {
  const std::lock_guard lock(mutex_);
  return most_live_;
}
std::size_t FakeDriver::loads() const {
  const std::lock_guard lock(mutex_);
  return loads_;
}
std::size_t FakeDriver::unloads() const {
  const std::lock_guard lock(mutex_);
  return unloads_;
}
void FakeDriver::capture(CUstream stream) {
  const std::lock_guard lock(mutex_);
  captured_stream_ = stream;
}

void FakeDriver::forget_graphs() {
  const std::lock_guard lock(mutex_);
  for (const auto& library : libraries_) library->in_graph = false;
}

std::size_t FakeDriver::synchronisations() const {
  const std::lock_guard lock(mutex_);
  return synchronisations_;
}
std::size_t FakeDriver::primary_contexts_retained() const {
  const std::lock_guard lock(mutex_);
  return retained_;
}

void FakeDriver::finish_work() {
  const std::lock_guard lock(mutex_);
  for (auto& library : libraries_) library->running = 0;
}
void FakeDriver::set_capture(bool open) {
  const std::lock_guard lock(mutex_);
  capture_ = open;
}
void FakeDriver::fail_loads(CUresult result) {
  const std::lock_guard lock(mutex_);
  load_result_ = result;
}
void FakeDriver::fail_launches(CUresult result) {
  const std::lock_guard lock(mutex_);
  launch_result_ = result;
}
void FakeDriver::set_on_launch(std::function<void()> on_launch) {
  const std::lock_guard lock(mutex_);
  on_launch_ = std::move(on_launch);
}
void FakeDriver::keep_launches(bool keep) {
  const std::lock_guard lock(mutex_);
  keep_ = keep;
}

}  // namespace cudahot::runtime::testing
