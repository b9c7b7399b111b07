// Child processes.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cudahot/result.hpp"

namespace cudahot::base {

struct ProcessRequest {
  std::vector<std::string> arguments;          // arguments[0] is the program, looked up on PATH if it has no '/'
  std::filesystem::path working_directory;     // empty: the caller's
  std::vector<std::string> extra_environment;  // "NAME=value", added to or replacing the caller's
  std::function<bool()> cancelled;             // polled about every 5 ms; true kills the child and what it started
};

struct ProcessOutcome {
  // -1 when ended by a signal or cancelled; and when it cannot be known, since the program lets
  // its children go by themselves (ignores SIGCHLD) or waits for them elsewhere.
  int exit_code = -1;
  int signal = 0;  // the signal that ended it, 0 if none
  bool cancelled = false;
  std::string out;
  std::string err;
};

// Runs a child to its end and collects what it wrote. Standard input is empty. The child ends
// with its parent. Errors: not_found (no such program), environment (it cannot be started, with why).
Result<ProcessOutcome> run_process(const ProcessRequest& request);

}  // namespace cudahot::base
