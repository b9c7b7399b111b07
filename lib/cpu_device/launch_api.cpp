// cuLaunch*
#include "lib/cpu_device/context.hpp"
#include "lib/cpu_device/enqueue.hpp"
#include "lib/cpu_device/log.hpp"
#include "lib/cpu_device/work.hpp"

using cudahot::cpu::Entry;
using cudahot::cpu::KernelWork;

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared_bytes,
                        CUstream stream, void** parameters, void** extra) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  KernelWork work;
  const CUresult code = cudahot::cpu::make_kernel_work(
      *entry, function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes, parameters, extra, work);
  if (code != CUDA_SUCCESS) return code;
  return cudahot::cpu::enqueue(*entry, stream, std::move(work));
}

namespace {

// Attributes that say how, not what, are taken and do nothing.
CUresult check_attribute(const CUlaunchAttribute& attribute) {
  switch (attribute.id) {
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
      return attribute.value.cooperative == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION: {
      const auto& cluster = attribute.value.clusterDim;
      return cluster.x == 1 && cluster.y == 1 && cluster.z == 1 ? CUDA_SUCCESS : CUDA_ERROR_NOT_SUPPORTED;
    }
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters, void** extra) {
  if (config == nullptr || (config->numAttrs != 0 && config->attrs == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned index = 0; index < config->numAttrs; ++index) {
    if (const CUresult code = check_attribute(config->attrs[index]); code != CUDA_SUCCESS) {
      cudahot::cpu::log_warning("a launch asks for clusters or a cooperative grid, which this device does not have");
      return code;
    }
  }
  return cuLaunchKernel(function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
                        config->blockDimY, config->blockDimZ, config->sharedMemBytes, config->hStream, parameters,
                        extra);
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* user) {
  const Entry entry;
  if (entry.refused()) return entry.error();
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return cudahot::cpu::enqueue(*entry, stream, cudahot::cpu::HostWork{function, user});
}
