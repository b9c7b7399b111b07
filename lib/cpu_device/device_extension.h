// What the CPU device exports beyond the driver's own functions. C; found with dlsym.
//
// How to recognise the device: compute capability 0.64 (no GPU has major 0), and this UUID. Both
// stand for the architecture cpu-x86-64.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUDAHOT_CPU_DEVICE_NAME "cudahot CPU device"
#define CUDAHOT_CPU_DEVICE_UUID "cudahot-cpu-x864"  // 16 bytes, as cuDeviceGetUuid returns them
enum { CUDAHOT_CPU_CAPABILITY_MAJOR = 0, CUDAHOT_CPU_CAPABILITY_MINOR = 64 };

enum CudahotCpuLogLevel { CUDAHOT_CPU_LOG_WARNING = 1, CUDAHOT_CPU_LOG_ERROR = 2 };

// `text` has no trailing newline and is valid during the call. Called from any thread, also from
// the device's own, one call at a time; must not call the driver.
typedef void (*CudahotCpuLog)(int32_t level, const char* text, void* user);

typedef struct CudahotCpuCounters {
  uint64_t launches;             // kernels that ran to their end
  uint64_t failed_launches;      // kernels that faulted, trapped or could not go on
  uint64_t loaded_images;        // code objects loaded at this moment
  uint64_t drains;               // unloads that found work queued, and wait for it
  uint64_t refused_calls;        // calls of functions that the device does not support
  uint64_t misuses;              // calls that a driver would have left undefined
  uint64_t stream_threads;       // threads that drive streams, idle ones too
  uint64_t device_memory_bytes;  // allocated at this moment, of all contexts
} CudahotCpuCounters;

#pragma GCC visibility push(default)
// Where messages go: what is unsupported (once a function), misuse, the reason of a lost context.
// nullptr: nowhere, or to standard error if CUDAHOT_LOG is set to anything but "", "0" and "off".
void cudahotCpuSetLog(CudahotCpuLog log, void* user);
void cudahotCpuGetCounters(CudahotCpuCounters* counters);
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif
