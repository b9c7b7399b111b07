// The context switch between fibers, in assembly (x86-64, System V).
#pragma once

extern "C" {

// Saves what a callee must preserve, and the stack pointer, in *save; continues where `load` was
// saved.
void cudahot_cpu_switch(void** save, void* load);

// The tail of cudahot_cpu_switch: with the stack pointer set to a saved one, jumping here
// continues there. For the signal handler.
extern const char cudahot_cpu_resume[];

// First return address of a new fiber: calls the function in r12 with the argument in rbx.
extern const char cudahot_cpu_fiber_start[];
}
