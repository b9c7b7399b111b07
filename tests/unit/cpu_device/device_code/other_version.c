// Code that was built for another version of the CPU device.
#include "lib/cpu_device/module_abi.h"

static const CudahotCpuServices* device;

const CudahotCpuModule cudahot_cpu_module = {CUDAHOT_CPU_ABI_VERSION + 1, &device, 0, 0, 0, 0};
