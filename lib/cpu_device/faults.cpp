// Signals that code of a kernel causes. Those of the rest of the process go where they went before.
#include <array>
#include <csignal>
#include <cstdint>
#include <mutex>

#include <sys/mman.h>
#include <ucontext.h>

#include "lib/cpu_device/block_runner.hpp"
#include "lib/cpu_device/fiber_switch.hpp"
#include "lib/cpu_device/watchdog.hpp"

namespace cudahot::cpu {
namespace {

const std::array kSignals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, time_limit_signal()};
std::array<struct sigaction, kSignals.size()> previous;

void pass_on(int number, siginfo_t* info, void* interrupted) {
  for (std::size_t index = 0; index < kSignals.size(); ++index) {
    if (kSignals[index] != number) continue;
    const struct sigaction& before = previous[index];
    const bool sent = info->si_code <= 0;  // by somebody, not a fault
    if ((before.sa_flags & SA_SIGINFO) != 0) {
      before.sa_sigaction(number, info, interrupted);
    } else if (before.sa_handler == SIG_IGN && sent) {
      return;
    } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
      // Faults again when the handler returns, now with the old disposition.
      ::sigaction(number, &before, nullptr);
      if (sent) ::raise(number);
    } else {
      before.sa_handler(number);
    }
  }
}

void on_signal(int number, siginfo_t* info, void* interrupted) {
  BlockRunner* runner = BlockRunner::running_or_null();
  if (is_from_watchdog(*info)) {
    if (runner != nullptr && runner->can_be_ended()) runner->catch_signal(number, *info, interrupted);
    return;
  }
  if (runner != nullptr && info->si_code > 0) runner->catch_signal(number, *info, interrupted);
  else pass_on(number, info, interrupted);
}

void install_handlers() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = &on_signal;
    // Whose system call is interrupted knows nothing of these signals.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    // Two of them at once would both leave the fiber.
    ::sigemptyset(&action.sa_mask);
    ::sigaddset(&action.sa_mask, time_limit_signal());
    for (std::size_t index = 0; index < kSignals.size(); ++index) {
      ::sigaction(kSignals[index], &action, &previous[index]);
    }
  });
}

}  // namespace

void prepare_thread_for_faults() {
  install_handlers();
  constexpr std::size_t kBytes = 128 * 1024;  // the previous handler may be a sanitizer's
  void* stack = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (stack == MAP_FAILED) return;
  stack_t alternative = {};
  alternative.ss_sp = stack;
  alternative.ss_size = kBytes;
  ::sigaltstack(&alternative, nullptr);
}

void BlockRunner::catch_signal(int number, const siginfo_t& info, void* interrupted) {
  in_device_code_.store(false, std::memory_order_relaxed);
  signal_.number = number;
  signal_.code = info.si_code;
  signal_.address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  main_.announce_abandoning_switch();
  auto& registers = static_cast<ucontext_t*>(interrupted)->uc_mcontext.gregs;
  registers[REG_RSP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(main_.saved_stack_pointer()));
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<std::uintptr_t>(cudahot_cpu_resume));
  registers[REG_EFL] &= ~greg_t{0x400};  // direction flag, as the calling convention wants it
}

}  // namespace cudahot::cpu
