#include "run_program.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace cudahot {

base::ProcessOutcome run_program(const std::string& program, const std::vector<std::string>& arguments) {
  const char* folder = std::getenv("CUDAHOT_TEST_BIN");
  base::ProcessRequest request;
  request.arguments = {std::string(folder != nullptr ? folder : "build/bin") + "/" + program};
  request.arguments.insert(request.arguments.end(), arguments.begin(), arguments.end());
  const auto outcome = base::run_process(request);
  if (!outcome) {
    ADD_FAILURE() << outcome.error().message;
    return {};
  }
  return *outcome;
}

}  // namespace cudahot
