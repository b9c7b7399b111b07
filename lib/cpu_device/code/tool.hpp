// Runs the compiler and the linker, which are programs of the machine and may do anything, also hang.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "cudahot/result.hpp"
#include "lib/base/processes.hpp"

namespace cudahot::cpu_device {

// Much more than any compile takes; after it the program is taken for hanging.
inline constexpr std::chrono::seconds kToolLimit{120};

// Runs request.arguments to its end with a plain environment. Errors: busy, when `cancelled` said so; environment, when
// it cannot be started, was ended by a signal, or had not ended after `limit` and was killed.
Result<base::ProcessOutcome> run_tool(base::ProcessRequest request, const std::function<bool()>& cancelled,
                                      std::chrono::milliseconds limit = kToolLimit);

// The error of a program that ended with another exit code than 0: its name, the code and what it wrote.
tl::unexpected<Error> tool_failed(const std::string& program, const base::ProcessOutcome& outcome);

}  // namespace cudahot::cpu_device
