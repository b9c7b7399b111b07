#include "lib/cpu_device/watchdog.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include <pthread.h>

#include <fmt/format.h>

#include "lib/cpu_device/log.hpp"

namespace cudahot::cpu {
namespace {

constexpr std::chrono::milliseconds kDefaultLimit = std::chrono::seconds(60);
constexpr int kLooks = 4;  // within the limit
constexpr char kOurs = 0;  // its address marks our signals

std::chrono::milliseconds read_limit() {
  const char* set = std::getenv("CUDAHOT_CPU_TIMEOUT");
  if (set == nullptr || *set == '\0') return kDefaultLimit;
  const std::string_view text = set;
  double seconds = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr double kMost = 1e9;
  if (error == std::errc{} && end == text.data() + text.size() && seconds >= 0 && seconds <= kMost) {
    const std::chrono::milliseconds limit(static_cast<std::int64_t>(seconds * 1000));
    // Zero is no limit, and without a pause between its looks the watchdog would keep a processor busy.
    constexpr std::chrono::milliseconds kLeast(kLooks);
    return seconds > 0 ? std::max(limit, kLeast) : limit;
  }
  log_warning(fmt::format("CUDAHOT_CPU_TIMEOUT is '{}', which is no number of seconds; it stays {} s", text,
                          std::chrono::duration_cast<std::chrono::seconds>(kDefaultLimit).count()));
  return kDefaultLimit;
}

// Counts its own looks instead of the time: what stops the whole process counts as one look.
class Watchdog {
 public:
  static Watchdog& instance() {
    static Watchdog& the = *new Watchdog;
    return the;
  }

  void add(BlockRunner& runner) {
    const std::lock_guard lock(mutex_);
    if (watched_.empty()) start();
    watched_.push_back({&runner, ::pthread_self()});
  }

 private:
  struct Watched {
    BlockRunner* runner;
    pthread_t thread;
    std::uint64_t block = 0;
    int looks = 0;  // at which it ran this block
  };

  void start() {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread([this] {
      for (;;) {
        std::this_thread::sleep_for(time_limit() / kLooks);
        look();
      }
    }).detach();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void look() {
    const std::lock_guard lock(mutex_);
    for (Watched& watched : watched_) {
      const std::uint64_t block = watched.runner->running_block();
      if (block == 0 || block != watched.block) {
        watched.block = block;
        watched.looks = 0;
        continue;
      }
      // Again and again: a signal may come while the block is where it cannot be left.
      if (++watched.looks < kLooks) continue;
      watched.runner->end_block(block);
      sigval value = {};
      value.sival_ptr = const_cast<char*>(&kOurs);
      ::pthread_sigqueue(watched.thread, time_limit_signal(), value);
    }
  }

  std::mutex mutex_;
  std::vector<Watched> watched_;
};

}  // namespace

std::chrono::milliseconds time_limit() {
  static const std::chrono::milliseconds limit = read_limit();
  return limit;
}

void watch(BlockRunner& runner) {
  if (time_limit().count() != 0) Watchdog::instance().add(runner);
}

int time_limit_signal() {
  constexpr int kBelowLast = 2;  // programs number their own from the first one up
  return SIGRTMAX - kBelowLast;
}

bool is_from_watchdog(const siginfo_t& info) { return info.si_code == SI_QUEUE && info.si_value.sival_ptr == &kOurs; }

}  // namespace cudahot::cpu
