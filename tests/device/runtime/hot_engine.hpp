// An Engine over the tested device and a real compiler, and a kernel that adds a number of its own.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "lib/base/files.hpp"
#include "lib/build/builder.hpp"
#include "lib/runtime/engine.hpp"
#include "tests/unit/runtime/add_kernel.hpp"

namespace cudahot::runtime::testing {

// `Add(int* out, int value)` with a region; edits give the number that it adds.
class HotEngine : public ::testing::Test {
 protected:
  HotEngine();
  void SetUp() override;  // skips where there is no driver or GPU
  void TearDown() override;

  // Saves the kernel with `statement` in its region.
  void save(const std::string& statement);

  std::shared_ptr<detail::Slot> start(Mode mode, RetirementLimits limits = {});
  // Value after a launch with `value`, waited for.
  int run(detail::Slot& slot, int value);
  static Status launch(detail::Slot& slot, CUdeviceptr out, int value, CUstream stream);

  std::vector<ReloadEvent> events();

  base::TemporaryFolder folder_;
  std::shared_ptr<const cuda::DriverTable> driver_;
  std::shared_ptr<build::Builder> builder_;
  std::shared_ptr<Context> context_;  // keeps the primary context while an engine comes and goes
  std::unique_ptr<CurrentContext> current_;
  CUdeviceptr out_ = 0;
  std::mutex mutex_;
  std::vector<ReloadEvent> events_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace cudahot::runtime::testing
