// Programmatic dependent launch
__global__ void second(const int* in, int* out) {
#pragma cudahot begin(body)
  cudaGridDependencySynchronize();
  out[threadIdx.x] = in[threadIdx.x];
  cudaTriggerProgrammaticLaunchCompletion();
#pragma cudahot end
}
