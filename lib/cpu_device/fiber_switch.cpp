#include "lib/cpu_device/fiber_switch.hpp"

#ifndef __x86_64__
#error "the CPU device switches fibers on x86-64 only"
#endif

// Saved frame, from the stack pointer up: mxcsr and x87 control word, r15, r14, r13, r12, rbx,
// rbp, return address. Fiber::prepare in fiber.cpp builds the same.
asm(R"(
.text
.hidden cudahot_cpu_switch
.globl cudahot_cpu_switch
.type cudahot_cpu_switch, @function
.balign 16
cudahot_cpu_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  subq $8, %rsp
  stmxcsr (%rsp)
  fnstcw 4(%rsp)
  movq %rsp, (%rdi)
  movq %rsi, %rsp
.hidden cudahot_cpu_resume
.globl cudahot_cpu_resume
cudahot_cpu_resume:
  ldmxcsr (%rsp)
  fldcw 4(%rsp)
  addq $8, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cudahot_cpu_switch, .-cudahot_cpu_switch

.hidden cudahot_cpu_fiber_start
.globl cudahot_cpu_fiber_start
.type cudahot_cpu_fiber_start, @function
.balign 16
cudahot_cpu_fiber_start:
  .cfi_startproc
  .cfi_undefined rip
  movq %rbx, %rdi
  xorl %ebp, %ebp
  callq *%r12
  ud2
  .cfi_endproc
.size cudahot_cpu_fiber_start, .-cudahot_cpu_fiber_start
)");
