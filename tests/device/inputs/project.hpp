// A project as a user has it: sources in a folder, the bundle that cudahot-extract makes of them, the
// public Runtime, and memory that kernels write to.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cudahot/cudahot.hpp"
#include "lib/base/processes.hpp"
#include "lib/runtime/context.hpp"
#include "tests/support/event_log.hpp"
#include "tests/support/test_device.hpp"

namespace cudahot::inputs {

using Kind = ReloadEvent::Kind;

using test_support::Stream;

// `extern "C" __global__ void Fill(int* out, int value)`, whose region (lines 3 to 4) holds `statement`.
using Fill = Kernel<void(int*, int)>;
std::string fill_source(const std::string& statement, const std::string& before = "");
// A statement that makes it write value + number.
std::string adding(int number);

class Project : public ::testing::Test {
 protected:
  explicit Project(const std::string& folder_name = "cudahot input");
  void SetUp() override;     // skips where there is no device
  void TearDown() override;  // on the CPU device also: nothing was done that a driver leaves undefined

  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  // As an editor does that writes a new file and renames it over the old one.
  void save(const std::string& name, std::string_view text) const;

  // For a process that ends without its static objects.
  void remove_folders() const;

  // Runs cudahot-extract in the project's folder; `arguments` follow those for architecture and bundle.
  base::ProcessOutcome extract(std::vector<std::string> arguments,
                               const std::filesystem::path& bundle = "project.cudahot") const;
  // Extracts, which must work, and starts a Runtime over the bundle. Where an earlier test extracted the same, its
  // bundle is taken.
  Runtime& start(Mode mode, std::vector<std::string> arguments);
  Runtime& start_with(const std::filesystem::path& bundle, Mode mode);
  // Both for "fill.cu" with `source`, and its kernel.
  Fill start_fill(Mode mode, const std::string& source);

  // What one thread of Fill wrote.
  int run(const Fill& fill, int value) const;
  template <typename T = int>
  T* out() const {
    return reinterpret_cast<T*>(out_);
  }
  template <typename T>
  std::vector<T> read(std::size_t count) const {
    std::vector<T> values(count);
    EXPECT_EQ(driver_->copy_to_host(values.data(), out_, count * sizeof(T)), CUDA_SUCCESS);
    return values;
  }

  const std::filesystem::path folder_;  // empty before each test
  std::string architecture_;            // of the tested device, for --arch
  std::shared_ptr<const cuda::DriverTable> driver_;
  std::shared_ptr<runtime::Context> context_;
  std::unique_ptr<runtime::CurrentContext> current_;
  test_support::EventLog events_;
  std::unique_ptr<Runtime> runtime_;

 private:
  // The place of the bundle that is made of the folder's content.
  std::filesystem::path bundle_of(const std::vector<std::string>& arguments) const;

  const std::filesystem::path made_;  // bundles and compiled code, kept to the end of the process
  CUdeviceptr out_ = 0;
};

}  // namespace cudahot::inputs
