// A program that launches from two threads while its kernel is edited 500 times, and ends. What the cudahot library or
// the driver would say goes to the standard streams, which the test finds empty. Its own words are a failure.
//   swap_storm FOLDER EXTRACTOR    FOLDER holds fill.cu and its bundle project.cudahot
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>

#include "cudahot/cudahot.hpp"
#include "lib/runtime/context.hpp"
#include "tests/support/launching_threads.hpp"

namespace {

namespace fs = std::filesystem;
using cudahot::runtime::Context;
using cudahot::runtime::CurrentContext;

constexpr int kSwaps = 500;
constexpr int kSettled = 100;
constexpr int kTexts = 4;
constexpr double kGrowthMegabytes = 8;  // of 400 swaps

int failed(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  return 1;
}

int storm(const fs::path& folder, const fs::path& extractor) {
  const auto driver = cudahot::test_support::tested_driver();
  if (!driver) return failed(driver.error().message);
  const auto context = Context::open(*driver, nullptr);
  if (!context) return failed(context.error().message);
  const CurrentContext current(**context);

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

  cudahot::test_support::LaunchingThreads<int> launchers(
      **driver, 1, kTexts, [&](CUdeviceptr out, int value, CUstream stream) {
        return fill.launch({.stream = stream}, reinterpret_cast<int*>(out), value).has_value();
      });
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
    device_before = cudahot::test_support::used_device_megabytes(**driver);
  }
  const double host_growth = cudahot::test_support::resident_megabytes() - host_before;
  const double device_growth = cudahot::test_support::used_device_megabytes(**driver) - device_before;
  launchers.stop();
  if (!wrong.empty()) return failed(wrong);
  if (launchers.launches() == 0) return failed("nothing was launched");
  if (launchers.failures() != 0) return failed(std::to_string(launchers.failures()) + " launches failed");
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
