// Runs the real cudahot-extract in a folder of its own.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lib/base/files.hpp"
#include "lib/base/processes.hpp"

namespace cudahot::extract_tool::testing {

// Two kernels' worth of nothing: small, so that a run costs little more than parsing the CUDA headers.
inline constexpr std::string_view kShade =
    "__device__ float twice(float x) { return 2.0f * x; }\n"
    "__global__ void Shade(float* out, int n) {\n"
    "  float value;\n"
    "#pragma cudahot begin(shade)\n"
    "  value = twice(3.0f);\n"
    "#pragma cudahot end\n"
    "  if (n > 0) out[threadIdx.x] = value;\n"
    "}\n";

inline std::string program() {
  const char* folder = std::getenv("CUDAHOT_TEST_BIN");
  return std::string(folder != nullptr ? folder : "build/bin") + "/cudahot-extract";
}

class ExtractRun : public ::testing::Test {
 protected:
  std::filesystem::path write(const std::filesystem::path& name, std::string_view text) const {
    const auto path = folder_.path() / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    return path;
  }

  std::string read(const std::filesystem::path& name) const {
    const auto text = base::read_file(folder_.path() / name);
    return text ? *text : "<" + text.error().message + ">";
  }

  base::ProcessOutcome run(const std::vector<std::string>& arguments, std::vector<std::string> environment = {}) const {
    base::ProcessRequest request;
    request.arguments = {program()};
    request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
    request.working_directory = folder_.path();
    request.extra_environment = std::move(environment);
    const auto outcome = base::run_process(request);
    EXPECT_TRUE(outcome) << outcome.error().message;
    return outcome ? *outcome : base::ProcessOutcome{};
  }

  // Those of the first file's CUBINs, of a run with --json that succeeds.
  std::vector<std::string> architectures(const std::vector<std::string>& arguments) const {
    const auto outcome = run(arguments);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::vector<std::string> names;
    const auto document = nlohmann::json::parse(outcome.out);
    for (const auto& cubin : document["files"][0]["cubins"]) names.push_back(cubin["architecture"]);
    return names;
  }

  // Names of everything in the folder.
  std::set<std::string> content() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
      names.insert(entry.path().lexically_relative(folder_.path()).string());
    }
    return names;
  }

  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  base::TemporaryFolder folder_ = base::TemporaryFolder::create("cudahot extract").value();
};

inline int count(std::string_view text, std::string_view part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace cudahot::extract_tool::testing
