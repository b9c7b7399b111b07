// Work for the device: what streams run and what graphs are made of.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <variant>
#include <vector>

#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/driver_api.hpp"
#include "lib/cpu_device/grid.hpp"
#include "lib/cpu_device/module.hpp"

namespace cudahot::cpu {

// Waits, and nothing else.
struct EmptyWork {};

struct KernelWork {
  LaunchTarget target;
  CudahotCpuDim3 grid{1, 1, 1};
  CudahotCpuDim3 block{1, 1, 1};
  unsigned shared_bytes = 0;
  std::vector<std::max_align_t> arguments;  // the parameter block
  // Pointers into `arguments`, one a parameter. Valid until the work is moved or copied.
  std::vector<void*> argument_pointers();
};

struct CopyWork {
  CUDA_MEMCPY3D copy{};
  std::shared_ptr<std::vector<std::byte>> staged;  // keeps a source that the caller may change
};

struct FillWork {
  CUDA_MEMSET_NODE_PARAMS fill{};
};

struct HostWork {
  CUhostFn function = nullptr;
  void* user = nullptr;
};

using Work = std::variant<EmptyWork, KernelWork, CopyWork, FillWork, HostWork>;

// Whether it can run as things are: CUDA_SUCCESS, or what a call that queues it returns.
CUresult check(const Context& context, const Work& work);

// Runs it on the calling thread, which is one of a stream. A fault makes the context lost.
void run(Context& context, const Work& work);

// Kernel launches: takes the arguments from the caller's pointers, checks the shape.
CUresult make_kernel_work(const Context& context, CUfunction function, CudahotCpuDim3 grid, CudahotCpuDim3 block,
                          unsigned shared_bytes, void** parameters, void** extra, KernelWork& work);

}  // namespace cudahot::cpu
