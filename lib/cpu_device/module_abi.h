// The contract between the CPU device (libcudahot-cpu-device.so) and the code it runs.
//
// A slice built for the architecture cpu-x86-64 is an ELF shared object. It exports one symbol,
// `cudahot_cpu_module`, of type CudahotCpuModule, and calls the device only through the table of
// services that the device stores in `*services` when it loads the object. C, no C++ types: the
// two sides may be built by different compilers.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CUDAHOT_CPU_ABI_VERSION = 3 };

// What runs one thread of a block. `arguments[i]` points at the value of parameter i, as for
// cuLaunchKernel. Called on a fiber. All threads of a block run on one operating system thread, which
// finishes the block before it starts another.
//
// __shared__ variables are thread-local ones to the compiler and linker, which lay them out in the
// segment PT_TLS. The segment itself is never used: the object defines __tls_get_addr, and gives
// addresses in the memory that `static_shared` of the services returns.
typedef void (*CudahotCpuEntry)(void** arguments);

typedef struct CudahotCpuParameter {
  uint32_t offset;  // bytes in the parameter block, as the GPU's compiler would lay it out
  uint32_t size;    // bytes
} CudahotCpuParameter;

typedef struct CudahotCpuKernel {
  const char* name;  // lowered (mangled) name
  CudahotCpuEntry entry;
  const CudahotCpuParameter* parameters;
  uint32_t parameter_count;
  uint32_t max_threads;          // from launch bounds; 0: no bound
  uint32_t static_shared_bytes;  // of all __shared__ variables it can reach; 0: none, or not known
} CudahotCpuKernel;

enum CudahotCpuSpace { CUDAHOT_CPU_GLOBAL = 0, CUDAHOT_CPU_CONSTANT = 1, CUDAHOT_CPU_MANAGED = 2 };

typedef struct CudahotCpuVariable {
  const char* name;
  void* address;
  uint64_t size;  // bytes
  int32_t space;  // CudahotCpuSpace
} CudahotCpuVariable;

typedef struct CudahotCpuDim3 {
  uint32_t x, y, z;
} CudahotCpuDim3;

// Where the running thread is. The pointer stays the same, and its target unchanged, as long as
// the thread runs.
typedef struct CudahotCpuThread {
  CudahotCpuDim3 thread_index, block_index, block_size, grid_size;
  uint32_t linear_thread;  // x + y * bx + z * bx * by
  uint32_t lane;           // linear_thread % 32
  uint32_t warp;           // linear_thread / 32
} CudahotCpuThread;

enum CudahotCpuFault { CUDAHOT_CPU_FAULT_ASSERT = 1, CUDAHOT_CPU_FAULT_TRAP = 2 };

// What the device does for running code. Every function may only be called from a fiber of a
// launch, and may switch to another fiber of the block before it returns.
typedef struct CudahotCpuServices {
  uint32_t abi_version;
  const CudahotCpuThread* (*current_thread)(void);
  // Dynamic shared memory of the block, as much as the launch asked for. Zeroed is not promised.
  void* (*dynamic_shared)(void);
  uint32_t (*dynamic_shared_bytes)(void);
  // Memory of the block as large, and as aligned, as the object's segment PT_TLS. Not zeroed.
  void* (*static_shared)(void);
  // __syncthreads and its reductions: every thread of the block that has not exited contributes
  // `predicate`; returns, to all, the count of non-zero predicates.
  uint32_t (*barrier)(uint32_t predicate);
  // One warp-wide exchange among the lanes of `mask`, all of which must arrive: each contributes
  // 8 bytes; afterwards `all[lane]` holds what each lane gave (32 entries; those not in mask are
  // undefined). Returns the lanes that took part. Shuffles, votes, match and reductions are made
  // from it; __syncwarp ignores the values.
  uint32_t (*warp_exchange)(uint32_t mask, uint64_t value, uint64_t* all);
  // Lanes of the running warp that have not exited.
  uint32_t (*active_mask)(void);
  // Surfaces and textures by handle. `object` is a CUsurfObject or CUtexObject of this device.
  // x of surfaces is in bytes, as in surf2Dread. `boundary`: 0 trap, 1 clamp, 2 zero.
  void (*surface_read_2d)(uint64_t object, int32_t x_bytes, int32_t y, uint32_t bytes, int32_t boundary, void* value);
  void (*surface_write_2d)(uint64_t object, int32_t x_bytes, int32_t y, uint32_t bytes, int32_t boundary,
                           const void* value);
  // Fetches up to 4 components as float (normalised or filtered formats) or as raw 32-bit
  // integers; `raw` tells which, from the channel format and read mode of the texture.
  void (*texture_fetch_2d)(uint64_t object, float x, float y, uint32_t components[4], int32_t* raw);
  void (*texture_fetch_1d_linear)(uint64_t object, int32_t x, uint32_t components[4], int32_t* raw);
  // malloc and free of the context; NULL when there is not so much. Freeing what was not allocated does not return.
  void* (*allocate)(uint64_t bytes);
  void (*release)(void* memory);
  int (*print)(const char* format, const uint64_t* arguments, uint32_t count);  // as vprintf in CUDA; %s by pointer
  void (*fault)(int32_t kind, const char* message, const char* file, uint32_t line);  // does not return
  uint64_t (*clock)(void);                                                            // cycles, as clock64
  uint64_t (*globaltimer)(void);                                                      // nanoseconds
  // Lets the other threads of the block go on first. Fibers are not preempted: code that waits
  // for another thread by polling memory has to call it (__nanosleep, fences in loops).
  void (*yield)(void);
} CudahotCpuServices;

typedef struct CudahotCpuModule {
  uint32_t abi_version;
  const CudahotCpuServices** services;  // the device stores its table here before anything runs
  const CudahotCpuKernel* kernels;
  uint32_t kernel_count;
  const CudahotCpuVariable* variables;
  uint32_t variable_count;
} CudahotCpuModule;

#ifdef __cplusplus
}
#endif
