// Ends blocks that run for too long: a kernel that never ends would keep its stream, and with it the program, for good.
#pragma once

#include <chrono>

#include "lib/cpu_device/block_runner.hpp"

namespace cudahot::cpu {

// For how long a block may run: CUDAHOT_CPU_TIMEOUT in seconds, as it was at the first call. Zero: for ever.
std::chrono::milliseconds time_limit();

// Watches the runner of the calling thread from now on.
void watch(BlockRunner& runner);

// The signal that interrupts a block which is out of time, and whether one came from here.
int time_limit_signal();
bool is_from_watchdog(const siginfo_t& info);

}  // namespace cudahot::cpu
