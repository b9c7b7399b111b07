// Recursion on a stack of its own.
#pragma once

#include <functional>

namespace cudahot::base {

// Runs `work` on a thread with a stack of 512 MiB, of which only what is used costs memory, and
// waits for its end: compilers walk nested code by recursion, and the stack of the calling thread
// may be of any size. On the calling thread where no such thread can be had. Exceptions pass.
void run_on_deep_stack(const std::function<void()>& work);

}  // namespace cudahot::base
