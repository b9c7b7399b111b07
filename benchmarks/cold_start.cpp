// The first launch of a process, by hand from a CUBIN in a file or through the runtime from a bundle:
//   cold_start file CUBIN SYMBOL      cold_start bundle BUNDLE
// Prints the microseconds from an initialised context to the end of the first launch of UpdateSurface, on a surface of
// no pixels. benchmarks/cache runs it many times, both ways in turn.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "cudahot/cudahot.hpp"
#include "lib/base/files.hpp"
#include "lib/cuda/driver.hpp"

namespace {

using namespace cudahot;

Status check(const cuda::DriverTable& driver, CUresult result) {
  if (result == CUDA_SUCCESS) return {};
  return fail(ErrorCode::driver, cuda::describe(driver, result));
}

Result<std::shared_ptr<const cuda::DriverTable>> open_driver() {
  auto driver = cuda::load_driver();
  if (!driver) return driver;
  CUcontext context = nullptr;
  CUresult result = (*driver)->init(0);
  if (result == CUDA_SUCCESS) result = (*driver)->primary_context_retain(&context, 0);
  if (result == CUDA_SUCCESS) result = (*driver)->context_set_current(context);
  if (const auto done = check(**driver, result); !done) return fail(done.error());
  return driver;
}

Status launch_by_hand(const cuda::DriverTable& driver, const char* file, const char* symbol) {
  const auto cubin = base::read_file(file);
  if (!cubin) return fail(cubin.error());
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  CUresult result = driver.library_load_data(&library, cubin->data(), nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result == CUDA_SUCCESS) result = driver.library_get_kernel(&kernel, library, symbol);
  if (result == CUDA_SUCCESS) result = driver.kernel_get_function(&function, kernel);
  std::uint64_t surface = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  float time = 0;
  void* arguments[] = {&surface, &width, &height, &time};
  if (result == CUDA_SUCCESS) {
    result = driver.launch_kernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr);
  }
  if (result == CUDA_SUCCESS) result = driver.context_synchronize();
  return check(driver, result);
}

Status launch_by_runtime(const cuda::DriverTable& driver, Runtime& runtime) {
  const auto kernel = runtime.kernel<void(std::uint64_t, std::uint32_t, std::uint32_t, float)>("UpdateSurface");
  if (const auto launched = kernel.launch({{1, 1, 1}, {32, 1, 1}}, std::uint64_t{0}, 0u, 0u, 0.0F); !launched) {
    return launched;
  }
  return check(driver, driver.context_synchronize());
}

int report(const Error& error) {
  fmt::print(stderr, "cold_start: {}\n", error.message);
  return 3;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view way = argc > 2 ? argv[1] : "";
  if (!(way == "file" && argc == 4) && !(way == "bundle" && argc == 3)) {
    fmt::print(stderr, "usage: cold_start file CUBIN SYMBOL | cold_start bundle BUNDLE\n");
    return 2;
  }
  const auto driver = open_driver();
  if (!driver) return report(driver.error());
  std::unique_ptr<Runtime> runtime;  // ends after the measurement
  const auto begin = std::chrono::steady_clock::now();
  Status launched;
  if (way == "file") {
    launched = launch_by_hand(**driver, argv[2], argv[3]);
  } else {
    RuntimeOptions options;
    options.bundles = {argv[2]};
    options.mode = Mode::off;
    runtime = std::make_unique<Runtime>(std::move(options));
    launched = launch_by_runtime(**driver, *runtime);
  }
  const auto end = std::chrono::steady_clock::now();
  if (!launched) return report(launched.error());
  fmt::print("{:.1f}\n", std::chrono::duration<double, std::micro>(end - begin).count());
  return 0;
}
