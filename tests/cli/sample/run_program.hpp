// The built programs, as the tests run them.
#pragma once

#include <string>
#include <vector>

#include "lib/base/processes.hpp"

namespace cudahot {

// Runs build/bin/`program` to its end; a test failure when it cannot be started.
base::ProcessOutcome run_program(const std::string& program, const std::vector<std::string>& arguments);

}  // namespace cudahot
