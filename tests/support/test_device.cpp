#include "tests/support/test_device.hpp"

#include <cstdlib>
#include <fstream>
#include <string_view>

#include <unistd.h>

#include <fmt/format.h>

#include "lib/base/paths.hpp"
#include "lib/region/sm_arch.hpp"

namespace cudahot::test_support {
namespace {

constexpr double kMegabyte = 1 << 20;

}  // namespace

Device tested_device() {
  const char* device = std::getenv("CUDAHOT_DEVICE");
  return device != nullptr && std::string_view(device) == "cpu" ? Device::cpu : Device::gpu;
}

Result<std::shared_ptr<const cuda::DriverTable>> tested_driver() {
  auto driver = tested_device() == Device::cpu ? cuda::load_cpu_device() : cuda::load_driver();
  if (!driver) return driver;
  int devices = 0;
  CUresult result = (*driver)->init(0);
  if (result == CUDA_SUCCESS) result = (*driver)->device_get_count(&devices);
  if (result != CUDA_SUCCESS) return fail(ErrorCode::environment, "no GPU: " + cuda::describe(**driver, result));
  if (devices == 0) return fail(ErrorCode::environment, "the driver lists no GPU");
  return driver;
}

std::string architecture_of(const cuda::DriverTable& driver) {
  if (tested_device() == Device::cpu) return region::to_string(region::kCpuX86_64);
  int major = 0, minor = 0;
  EXPECT_EQ(driver.device_get_attribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver.device_get_attribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0), CUDA_SUCCESS);
  return fmt::format("{}{}", major, minor);
}

double used_device_megabytes(const cuda::DriverTable& driver) {
  std::size_t free = 0, total = 0;
  EXPECT_EQ(driver.memory_get_info(&free, &total), CUDA_SUCCESS);
  return static_cast<double>(total - free) / kMegabyte;
}

double resident_megabytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return 0;  // sanitizers keep what is freed
#else
  std::ifstream statm("/proc/self/statm");
  std::size_t total = 0, resident = 0;
  statm >> total >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / kMegabyte;
#endif
}

bool in_own_process() {
  constexpr const char* kChild = "CUDAHOT_TEST_CHILD";
  if (std::getenv(kChild) != nullptr) return true;
  const auto* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  base::ProcessRequest request;
  request.arguments = {base::executable_path().string(),
                       fmt::format("--gtest_filter={}.{}", test->test_suite_name(), test->name())};
  request.extra_environment = {fmt::format("{}=1", kChild)};
  const auto outcome = base::run_process(request);
  if (!outcome) ADD_FAILURE() << outcome.error().message;
  else if (outcome->exit_code != 0) ADD_FAILURE() << outcome->out << outcome->err;
  return false;
}

std::filesystem::path built_programs() {
  const char* folder = std::getenv("CUDAHOT_TEST_BIN");
  return folder != nullptr ? folder : "build/bin";
}

Result<base::ProcessOutcome> run_built(const std::string& program, std::vector<std::string> arguments,
                                       std::vector<std::string> environment) {
  base::ProcessRequest request;
  request.arguments = {(built_programs() / program).string()};
  for (std::string& argument : arguments) request.arguments.push_back(std::move(argument));
  request.extra_environment = std::move(environment);
  return base::run_process(request);
}

}  // namespace cudahot::test_support
