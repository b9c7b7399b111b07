#include "kernel_file.hpp"

#include <utility>

#include <fmt/format.h>

#include "tests/support/checkout.hpp"

namespace cudahot::kernels {

using test_support::checkout;

KernelFile::KernelFile(base::TemporaryFolder folder, std::shared_ptr<runtime::Context> context)
    : folder_(std::move(folder)), context_(std::move(context)), current_(*context_) {
  RuntimeOptions options;
  options.bundles = {folder_.path() / "kernels.cudahot"};
  options.user_cache = folder_.path() / "cache.db";
  options.mode = Mode::off;
  runtime_ = std::make_unique<Runtime>(std::move(options));
}

KernelFile::~KernelFile() = default;

Result<std::unique_ptr<KernelFile>> KernelFile::open(const std::string& name) {
  auto driver = test_support::tested_driver();
  if (!driver) return fail(std::move(driver.error()));
  auto folder = base::TemporaryFolder::create("cudahot-kernels");
  if (!folder) return fail(std::move(folder.error()));
  const auto extracted = test_support::run_built(
      "cudahot-extract",
      {"--arch", test_support::architecture_of(**driver), "--bundle", (folder->path() / "kernels.cudahot").string(),
       (checkout() / "tests/device/kernels" / name).string(), "--", "-I" + (checkout() / "kernels/include").string(),
       "-I" + checkout().string()});
  if (!extracted) return fail(extracted.error());
  if (extracted->exit_code != 0) {
    return fail(ErrorCode::source, fmt::format("cudahot-extract of {}: {}", name, extracted->err));
  }
  auto context = runtime::Context::open(*driver, nullptr);
  if (!context) return fail(std::move(context.error()));
  return std::unique_ptr<KernelFile>(new KernelFile(std::move(*folder), std::move(*context)));
}

std::unique_ptr<KernelFile> KernelTest::file_;

void KernelTest::open(const std::string& name) {
  if (!test_support::tested_driver()) return;
  file_.reset();  // before the next is opened, which would share its context
  auto file = KernelFile::open(name);
  ASSERT_TRUE(file) << file.error().message;
  file_ = std::move(*file);
}

void KernelTest::SetUp() {
  if (const auto usable = test_support::tested_driver(); !usable) GTEST_SKIP() << usable.error().message;
  ASSERT_NE(file_, nullptr) << "see the failure above";
}

}  // namespace cudahot::kernels
