// libcu++: PTX instructions as functions
#include <cuda/ptx>

__global__ void fence(int* data) {
#pragma cudahot begin(body)
  data[threadIdx.x] = static_cast<int>(cuda::ptx::get_sreg_laneid());
  cuda::ptx::fence(cuda::ptx::sem_acq_rel, cuda::ptx::scope_cluster);
#pragma cudahot end
}
