#include "lib/cpu_device/work.hpp"

#include <cstring>

#include <fmt/format.h>

#include "lib/cpu_device/copy.hpp"
#include "lib/cpu_device/log.hpp"
#include "lib/cpu_device/workers.hpp"

namespace cudahot::cpu {
namespace {

std::size_t parameter_block_bytes(const CudahotCpuKernel& kernel) {
  std::size_t bytes = 0;
  for (std::uint32_t index = 0; index < kernel.parameter_count; ++index) {
    const CudahotCpuParameter& parameter = kernel.parameters[index];
    bytes = std::max<std::size_t>(bytes, parameter.offset + std::size_t{parameter.size});
  }
  return bytes;
}

CUresult check_shape(const KernelWork& work) {
  const CudahotCpuDim3& grid = work.grid;
  const CudahotCpuDim3& block = work.block;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0 || block.y == 0 || block.z == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (grid.x > 0x7fffffffU || grid.y > 65535 || grid.z > 65535) return CUDA_ERROR_INVALID_VALUE;
  if (block.x > kMaxThreads || block.y > kMaxThreads || block.z > 64) return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t threads = std::uint64_t{block.x} * block.y * block.z;
  if (threads > kMaxThreads) return CUDA_ERROR_INVALID_VALUE;
  const KernelState& state = *work.target.state;
  if (state.code->max_threads != 0 && threads > state.code->max_threads) {
    log_warning(fmt::format("'{}' is launched with {} threads a block, its launch bounds allow {}", state.name, threads,
                            state.code->max_threads));
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (state.code->static_shared_bytes > kMaxStaticShared) {
    log_warning(fmt::format("'{}' has __shared__ variables of {} bytes, {} are allowed", state.name,
                            state.code->static_shared_bytes, kMaxStaticShared));
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  }
  if (work.shared_bytes > static_cast<unsigned>(state.max_dynamic_shared.load())) {
    log_warning(
        fmt::format("'{}' is launched with {} bytes of dynamic shared memory, {} are allowed (see "
                    "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)",
                    state.name, work.shared_bytes, state.max_dynamic_shared.load()));
    return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult take_arguments(void** parameters, void** extra, KernelWork& work) {
  const CudahotCpuKernel& kernel = *work.target.state->code;
  const std::size_t bytes = parameter_block_bytes(kernel);
  work.arguments.assign((bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t), std::max_align_t{});
  auto* block = reinterpret_cast<std::byte*>(work.arguments.data());
  if (parameters != nullptr) {
    if (extra != nullptr) return CUDA_ERROR_INVALID_VALUE;
    for (std::uint32_t index = 0; index < kernel.parameter_count; ++index) {
      if (parameters[index] == nullptr) return CUDA_ERROR_INVALID_VALUE;
      std::memcpy(block + kernel.parameters[index].offset, parameters[index], kernel.parameters[index].size);
    }
    return CUDA_SUCCESS;
  }
  if (extra == nullptr) {
    if (kernel.parameter_count == 0) return CUDA_SUCCESS;
    return misuse(CUDA_ERROR_INVALID_VALUE,
                  fmt::format("'{}' has {} parameters and is launched with none", kernel.name, kernel.parameter_count));
  }
  const void* buffer = nullptr;
  std::size_t given = 0;
  for (void** at = extra; *at != CU_LAUNCH_PARAM_END; at += 2) {
    if (*at == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = at[1];
    else if (*at == CU_LAUNCH_PARAM_BUFFER_SIZE) given = *static_cast<const std::size_t*>(at[1]);
    else return CUDA_ERROR_INVALID_VALUE;
  }
  if (bytes == 0) return CUDA_SUCCESS;
  if (buffer == nullptr || given < bytes) return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(block, buffer, bytes);
  return CUDA_SUCCESS;
}

void run_kernel(Context& context, KernelWork work) {
  std::vector<void*> pointers = work.argument_pointers();
  Grid grid;
  grid.kernel = work.target.state->code;
  grid.grid_size = work.grid;
  grid.block_size = work.block;
  grid.dynamic_shared_bytes = work.shared_bytes;
  grid.static_shared = work.target.state->image->shared();
  grid.stack_bytes = context.stack_bytes;
  grid.heap = &context.heap;
  grid.heap_bytes = context.heap_bytes;
  grid.arguments = pointers.data();
  run_grid(grid);
  if (grid.fault.code == CUDA_SUCCESS) {
    ++counters().launches;
    return;
  }
  ++counters().failed_launches;
  context.lose(grid.fault.code,
               fmt::format("kernel '{}' failed: {}; its context is lost", work.target.state->name, grid.fault.text));
}

}  // namespace

std::vector<void*> KernelWork::argument_pointers() {
  const CudahotCpuKernel& kernel = *target.state->code;
  std::vector<void*> pointers;
  pointers.reserve(kernel.parameter_count + std::size_t{1});
  auto* start = reinterpret_cast<std::byte*>(arguments.data());
  for (std::uint32_t index = 0; index < kernel.parameter_count; ++index) {
    pointers.push_back(start + kernel.parameters[index].offset);
  }
  pointers.push_back(nullptr);
  return pointers;
}

CUresult make_kernel_work(const Context& context, CUfunction function, CudahotCpuDim3 grid, CudahotCpuDim3 block,
                          unsigned shared_bytes, void** parameters, void** extra, KernelWork& work) {
  work.target = find_target(context, function);
  if (work.target.state == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  work.grid = grid;
  work.block = block;
  work.shared_bytes = shared_bytes;
  if (const CUresult code = check_shape(work); code != CUDA_SUCCESS) return code;
  return take_arguments(parameters, extra, work);
}

CUresult check(const Context& context, const Work& work) {
  if (const auto* copy = std::get_if<CopyWork>(&work)) return check_copy(context, copy->copy);
  if (const auto* fill = std::get_if<FillWork>(&work)) return check_fill(fill->fill);
  const auto* kernel = std::get_if<KernelWork>(&work);
  if (kernel != nullptr && kernel->target.state->image->unloaded) {
    return misuse(CUDA_ERROR_INVALID_HANDLE,
                  fmt::format("function '{}' is used after its library was unloaded", kernel->target.state->name));
  }
  return CUDA_SUCCESS;
}

void run(Context& context, const Work& work) {
  if (context.state() != CUDA_SUCCESS) return;
  if (const auto* kernel = std::get_if<KernelWork>(&work)) {
    run_kernel(context, *kernel);
  } else if (const auto* copy = std::get_if<CopyWork>(&work)) {
    run_copy(context, copy->copy);
  } else if (const auto* fill = std::get_if<FillWork>(&work)) {
    run_fill(fill->fill);
  } else if (const auto* host = std::get_if<HostWork>(&work)) {
    const HostFunctionScope scope;
    host->function(host->user);
  }
}

}  // namespace cudahot::cpu
