#include "lib/runtime/context.hpp"

#include <array>

#include <fmt/format.h>

namespace cudahot::runtime {
namespace {

tl::unexpected<Error> setup_failure(const cuda::DriverTable& driver, std::string_view what, CUresult result) {
  return fail(ErrorCode::environment, fmt::format("{}: {}; `nvidia-smi` shows whether the driver sees a GPU", what,
                                                  cuda::describe(driver, result)));
}

// No GPU has major 0.
region::SmArch architecture_of(std::uint32_t major, std::uint32_t minor) {
  constexpr std::uint32_t kCpuMinor = 64;
  if (major == 0 && minor == kCpuMinor) return region::kCpuX86_64;
  return {10 * major + minor, region::SmArch::Suffix::none};
}

Result<DeviceFacts> read_device(const cuda::DriverTable& driver, CUdevice device) {
  CUresult worst = CUDA_SUCCESS;
  auto attribute = [&](CUdevice_attribute which) {
    int value = 0;
    const CUresult result = driver.device_get_attribute(&value, which, device);
    if (result != CUDA_SUCCESS) worst = result;
    return static_cast<std::uint32_t>(value);
  };
  DeviceFacts facts;
  facts.arch = architecture_of(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                               attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  facts.shared_bytes_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  facts.registers_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  facts.threads_per_block = attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  if (worst != CUDA_SUCCESS) return setup_failure(driver, "cannot ask the CUDA device for its attributes", worst);
  std::array<char, 256> name{};
  if (driver.device_get_name(name.data(), static_cast<int>(name.size()), device) == CUDA_SUCCESS) {
    facts.name = name.data();
  }
  return facts;
}

}  // namespace

Context::Context(std::shared_ptr<const cuda::DriverTable> driver, CUcontext handle)
    : driver_(std::move(driver)), handle_(handle) {}

Result<std::shared_ptr<Context>> Context::open(std::shared_ptr<const cuda::DriverTable> driver, CUcontext wanted) {
  if (const CUresult result = driver->init(0); result != CUDA_SUCCESS) {
    return setup_failure(*driver, "CUDA cannot be initialised", result);
  }
  CUcontext handle = wanted;
  if (handle == nullptr) driver->context_get_current(&handle);
  std::shared_ptr<Context> context(new Context(driver, handle));
  CUdevice device = 0;
  if (handle == nullptr) {
    CUresult result = driver->device_get(&device, 0);
    if (result == CUDA_SUCCESS) result = driver->primary_context_retain(&context->handle_, device);
    if (result != CUDA_SUCCESS) return setup_failure(*driver, "cannot use CUDA device 0", result);
    context->retained_ = device;
  } else {
    const CurrentContext current(*context);
    if (const CUresult result = driver->context_get_device(&device); result != CUDA_SUCCESS) {
      return setup_failure(*driver, "the CUDA context given to cudahot cannot be used", result);
    }
  }
  auto facts = read_device(*driver, device);
  if (!facts) return fail(std::move(facts.error()));
  context->device_ = std::move(*facts);
  return context;
}

Context::~Context() {
  if (retained_) driver_->primary_context_release(*retained_);
}

void Context::note_result(CUresult result, const std::string& what_ran) {
  if (!cuda::is_fatal_for_context(result)) return;
  const std::lock_guard lock(mutex_);
  if (cause_) return;
  cause_ = Error{ErrorCode::driver,
                 fmt::format("the CUDA context died with {} while {} was running; nothing more can be launched in it "
                             "and reloading has stopped. Restart the program; {}",
                             cuda::describe(*driver_, result), what_ran,
                             region::is_cpu(device_.arch) ? "with CUDAHOT_LOG=error the CPU device says what it saw"
                                                          : "compute-sanitizer finds the access"),
                 {},
                 {}};
  dead_.store(true, std::memory_order_release);
  if (on_death_) on_death_();
}

std::optional<Error> Context::cause_of_death() const {
  const std::lock_guard lock(mutex_);
  return cause_;
}

void Context::set_on_death(std::function<void()> on_death) {
  const std::lock_guard lock(mutex_);
  on_death_ = std::move(on_death);
}

CurrentContext::CurrentContext(const Context& context) : context_(context) {
  context_.driver().context_get_current(&previous_);
  if (previous_ == context_.handle()) return;
  changed_ = context_.driver().context_set_current(context_.handle()) == CUDA_SUCCESS;
}

CurrentContext::~CurrentContext() {
  if (changed_) context_.driver().context_set_current(previous_);
}

bool capture_is_open(const Context& context) {
  const CurrentContext current(context);
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = context.driver().stream_is_capturing(CU_STREAM_LEGACY, &status);
  return result == CUDA_ERROR_STREAM_CAPTURE_IMPLICIT ||
         (result == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE);
}

tl::unexpected<Error> driver_failure(const Context& context, const std::string& what, CUresult result) {
  return fail(ErrorCode::driver, fmt::format("{}: {}", what, cuda::describe(context.driver(), result)));
}

}  // namespace cudahot::runtime
