#include "kernels_under_test.hpp"

#include <utility>

#include <fmt/format.h>

#include "tests/support/checkout.hpp"

namespace cudahot::kernels {

using test_support::checkout;

namespace {

constexpr const char* kBundle = "kernels.cudahot";

}  // namespace

Result<base::TemporaryFolder> extract(const std::string& name) {
  const auto driver = test_support::tested_driver();
  if (!driver) return fail(driver.error());
  auto folder = base::TemporaryFolder::create("cudahot-kernels");
  if (!folder) return folder;
  const auto extracted = test_support::run_built(
      "cudahot-extract", {"--arch", test_support::architecture_of(**driver), "--bundle",
                          (folder->path() / kBundle).string(), (checkout() / "tests/device/kernels" / name).string(),
                          "--", "-I" + (checkout() / "kernels/include").string(), "-I" + checkout().string()});
  if (!extracted) return fail(extracted.error());
  if (extracted->exit_code != 0) {
    return fail(ErrorCode::source, fmt::format("cudahot-extract of {}: {}", name, extracted->err));
  }
  return folder;
}

LoadedKernels::LoadedKernels(std::shared_ptr<runtime::Context> context, RuntimeOptions options)
    : context_(std::move(context)), current_(*context_), runtime_(std::move(options)) {}

LoadedKernels::~LoadedKernels() = default;

Result<std::unique_ptr<LoadedKernels>> LoadedKernels::open(const std::filesystem::path& folder) {
  auto driver = test_support::tested_driver();
  if (!driver) return fail(std::move(driver.error()));
  auto context = runtime::Context::open(*driver, nullptr);
  if (!context) return fail(std::move(context.error()));
  RuntimeOptions options;
  options.bundles = {folder / kBundle};
  options.user_cache = folder / "cache.db";
  options.mode = Mode::off;
  return std::unique_ptr<LoadedKernels>(new LoadedKernels(std::move(*context), std::move(options)));
}

std::unique_ptr<LoadedKernels> KernelTest::kernels_;
std::optional<base::TemporaryFolder> KernelTest::folder_;

void KernelTest::open(const std::string& name) {
  if (!test_support::tested_driver()) return;
  auto folder = extract(name);
  ASSERT_TRUE(folder) << folder.error().message;
  folder_.emplace(std::move(*folder));
  start();
}

void KernelTest::start() {
  kernels_.reset();  // before the next are opened, which would share their context
  if (!folder_) return;
  auto kernels = LoadedKernels::open(folder_->path());
  ASSERT_TRUE(kernels) << kernels.error().message;
  kernels_ = std::move(*kernels);
}

void KernelTest::TearDownTestSuite() {
  kernels_.reset();
  folder_.reset();
}

void KernelTest::SetUp() {
  const auto usable = test_support::tested_driver();
  CUDAHOT_NEEDS_DEVICE(usable)
  ASSERT_NE(kernels_, nullptr) << "see the failure above";
}

}  // namespace cudahot::kernels
