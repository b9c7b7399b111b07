// That no public function is left out where all of them are meant to be tested.
#include <gtest/gtest.h>

#include <filesystem>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include "lib/base/files.hpp"
#include "tests/support/checkout.hpp"

namespace cudahot::kernels {
namespace {

std::string text_of(const std::filesystem::path& file) {
  auto text = base::read_file(test_support::checkout() / file);
  return text ? *text : (ADD_FAILURE() << text.error().message, "");
}

// How many overloads each function of cudahot/device.cuh has.
std::map<std::string, int> public_functions() {
  const std::string header = text_of("kernels/include/cudahot/device.cuh");
  const std::regex declaration(R"(\nCUDAHOT_DEVICE [\w ]+ (\w+)\()");
  std::map<std::string, int> functions;
  for (std::sregex_iterator found(header.begin(), header.end(), declaration), end; found != end; ++found) {
    ++functions[(*found)[1]];
  }
  return functions;
}

int calls(const std::string& text, const std::string& function) {
  const std::regex call(R"(\bdevice::)" + function + R"(\b)");
  return static_cast<int>(std::distance(std::sregex_iterator(text.begin(), text.end(), call), std::sregex_iterator()));
}

TEST(Coverage, EveryOverloadIsEvaluatedOnTheDevices) {
  const auto functions = public_functions();
  EXPECT_GT(functions.size(), 50U);
  const std::string text = text_of("tests/unit/kernels/evaluate_all.cuh");
  for (const auto& [function, overloads] : functions) EXPECT_GE(calls(text, function), overloads) << function;
}

TEST(Coverage, EveryOverloadHasAnIndependentExpectation) {
  std::string text;
  for (const char* test : {"color", "distance", "easing", "hash", "noise", "random", "rotation"}) {
    text += text_of(std::string("tests/unit/kernels/") + test + "_test.cpp");
  }
  for (const auto& [function, overloads] : public_functions()) EXPECT_GE(calls(text, function), overloads) << function;
}

}  // namespace
}  // namespace cudahot::kernels
