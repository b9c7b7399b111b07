// A program that launches from two threads while its kernel is edited 500 times, and ends. What the cudahot library or
// the driver would say goes to the standard streams, which the test finds empty. Its own words are a failure.
//   swap_storm FOLDER EXTRACTOR    FOLDER holds fill.cu and its bundle project.cudahot
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cudahot/cudahot.hpp"
#include "lib/runtime/context.hpp"
#include "tests/support/test_device.hpp"

namespace {

namespace fs = std::filesystem;
using cudahot::runtime::Context;
using cudahot::runtime::CurrentContext;

constexpr int kSwaps = 500;
constexpr int kSettled = 100;
constexpr int kTexts = 4;
constexpr double kGrowthMegabytes = 8;  // of 400 swaps

using Fill = cudahot::Kernel<void(int*, int)>;

struct Device {
  std::shared_ptr<const cudahot::cuda::DriverTable> driver;
  std::shared_ptr<Context> context;
};

int failed(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return 1;
}

void launch_until(const std::atomic<bool>& stop, const Device& device, const Fill& fill, std::atomic<int>& failures) {
  const CurrentContext current(*device.context);
  const auto& driver = *device.driver;
  CUstream stream = nullptr;
  CUdeviceptr out = 0;
  if (driver.stream_create(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) ++failures;
  if (driver.memory_allocate(&out, sizeof(int)) != CUDA_SUCCESS) ++failures;
  while (!stop) {
    int result = -1;
    if (!fill.launch({.stream = stream}, reinterpret_cast<int*>(out), 1000)) ++failures;
    if (driver.stream_synchronize(stream) != CUDA_SUCCESS) ++failures;
    if (driver.copy_to_host(&result, out, sizeof(result)) != CUDA_SUCCESS) ++failures;
    if (result < 1000 || result >= 1000 + kTexts) ++failures;
  }
  driver.memory_free(out);
  driver.stream_destroy(stream);
}

int storm(const fs::path& folder, const fs::path& extractor) {
  Device device;
  auto driver = cudahot::test_support::tested_driver();
  if (!driver) return failed(driver.error().message);
  device.driver = *driver;
  auto context = Context::open(device.driver, nullptr);
  if (!context) return failed(context.error().message);
  device.context = *context;
  const CurrentContext current(*device.context);

  cudahot::RuntimeOptions options;
  options.bundles = {folder / "project.cudahot"};
  options.user_cache = folder / "cache.db";
  options.mode = cudahot::Mode::manual;
  options.extractor = extractor;
  cudahot::Runtime runtime(std::move(options));
  const auto fill = runtime.kernel<void(int*, int)>("Fill");
  if (!fill) return failed(fill.error().message);

  std::ifstream file(folder / "fill.cu");
  const std::string original((std::istreambuf_iterator<char>(file)), {});
  const std::string place = "value + 0";
  const std::size_t at = original.find(place);
  if (at == std::string::npos) return failed("fill.cu does not add 0");

  std::atomic<bool> stop{false};
  std::atomic<int> failures{0};
  std::vector<std::thread> launchers;
  for (int t = 0; t < 2; ++t) launchers.emplace_back([&] { launch_until(stop, device, fill, failures); });
  double host_before = 0, device_before = 0;
  std::string wrong;
  for (int i = 1; i <= kSwaps && wrong.empty(); ++i) {
    std::string text = original;
    text.replace(at, place.size(), "value + " + std::to_string(i % kTexts));
    std::ofstream(folder / "saving") << text;
    fs::rename(folder / "saving", folder / "fill.cu");
    const auto reloaded = runtime.reload();
    if (!reloaded) wrong = reloaded.error().message;
    if (i != kSettled) continue;
    host_before = cudahot::test_support::resident_megabytes();
    device_before = cudahot::test_support::used_device_megabytes(*device.driver);
  }
  const double host_growth = cudahot::test_support::resident_megabytes() - host_before;
  const double device_growth = cudahot::test_support::used_device_megabytes(*device.driver) - device_before;
  stop = true;
  for (auto& launcher : launchers) launcher.join();
  if (!wrong.empty()) return failed(wrong);
  if (failures != 0) return failed(std::to_string(failures) + " launches failed");
  if (fill.generation() != kSwaps) return failed("ended with generation " + std::to_string(fill.generation()));
  if (host_growth > kGrowthMegabytes) return failed("host memory grew by " + std::to_string(host_growth) + " MB");
  if (device_growth > kGrowthMegabytes) return failed("device memory grew by " + std::to_string(device_growth) + " MB");
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return failed("usage: swap_storm FOLDER EXTRACTOR");
  return storm(arguments[1], arguments[2]);
}
