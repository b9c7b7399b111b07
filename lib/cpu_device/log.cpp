#include "lib/cpu_device/log.hpp"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>

#include "lib/cpu_device/device_extension.h"

namespace cudahot::cpu {
namespace {

struct Sink {
  std::mutex mutex;
  CudahotCpuLog log = nullptr;
  void* user = nullptr;
};

// Never destroyed: the device's threads outlive static destruction.
Sink& sink() {
  static Sink& the = *new Sink;
  return the;
}

bool standard_error_wanted() {
  const char* value = std::getenv("CUDAHOT_LOG");
  if (value == nullptr) return false;
  const std::string_view text = value;
  return !text.empty() && text != "0" && text != "off";
}

void write(CudahotCpuLogLevel level, std::string_view text) {
  const std::string line(text);
  Sink& to = sink();
  const std::lock_guard lock(to.mutex);
  if (to.log != nullptr) to.log(level, line.c_str(), to.user);
  else if (standard_error_wanted()) std::fprintf(stderr, "cudahot CPU device: %s\n", line.c_str());
}

}  // namespace

Counters& counters() {
  static Counters the;
  return the;
}

void log_warning(std::string_view text) { write(CUDAHOT_CPU_LOG_WARNING, text); }
void log_error(std::string_view text) { write(CUDAHOT_CPU_LOG_ERROR, text); }

CUresult misuse(CUresult code, std::string_view text) {
  ++counters().misuses;
  log_error(text);
  return code;
}

}  // namespace cudahot::cpu

void cudahotCpuSetLog(CudahotCpuLog log, void* user) {
  auto& to = cudahot::cpu::sink();
  const std::lock_guard lock(to.mutex);
  to.log = log;
  to.user = user;
}

void cudahotCpuGetCounters(CudahotCpuCounters* counters) {
  const auto& now = cudahot::cpu::counters();
  *counters = {now.launches,      now.failed_launches, now.loaded_images,  now.drains,
               now.refused_calls, now.misuses,         now.stream_threads, now.device_memory_bytes};
}
