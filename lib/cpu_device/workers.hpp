// The threads that blocks run on.
#pragma once

#include "lib/cpu_device/grid.hpp"

namespace cudahot::cpu {

// Processors that blocks are spread over; what the device reports as multiprocessors.
int processors();

// Runs all blocks of the grid, on the calling thread and on pool threads that are free. So a
// stream gets on even when others keep the whole pool busy. Returns when no block runs any more;
// grid.fault tells whether one failed.
void run_grid(Grid& grid);

// Runs `job` on a thread of its own: a pooled one, or a new one when all are busy.
void run_on_stream_thread(void (*job)(void*), void* argument);

}  // namespace cudahot::cpu
