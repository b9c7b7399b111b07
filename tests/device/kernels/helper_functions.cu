// Every function of the helper library, evaluated in a hot kernel, so that what cudahot links in is
// what runs.
#include <cudahot/device.cuh>
namespace device = cudahot::device;
#include "tests/unit/kernels/evaluate_all.cuh"

// The results for index i begin at results[i * kMostResults].
extern "C" __global__ void evaluate(float* results) {
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
#pragma cudahot begin(evaluate)
  cudahot::kernels::evaluate_all(index, results + index * static_cast<unsigned>(cudahot::kernels::kMostResults));
#pragma cudahot end
}
