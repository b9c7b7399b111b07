#include "lib/base/deep_stack.hpp"

#include <cstddef>
#include <exception>

#include <pthread.h>
#include <signal.h>

namespace cudahot::base {
namespace {

constexpr std::size_t kStackBytes = std::size_t{512} << 20;

struct Job {
  const std::function<void()>& work;
  std::exception_ptr thrown;
};

void* run(void* argument) {
  Job& job = *static_cast<Job*>(argument);
  try {
    job.work();
  } catch (...) {
    job.thrown = std::current_exception();
  }
  return nullptr;
}

bool start(pthread_t& thread, Job& job) {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return false;
  const bool started = ::pthread_attr_setstacksize(&attributes, kStackBytes) == 0 &&
                       ::pthread_create(&thread, &attributes, run, &job) == 0;
  ::pthread_attr_destroy(&attributes);
  return started;
}

}  // namespace

void run_on_deep_stack(const std::function<void()>& work) {
  Job job{work, nullptr};
  pthread_t thread{};
  // Signals are for the threads of the program.
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const bool started = start(thread, job);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started) return work();
  ::pthread_join(thread, nullptr);
  if (job.thrown) std::rethrow_exception(job.thrown);
}

}  // namespace cudahot::base
