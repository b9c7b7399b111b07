// Launch bounds and register limits
__global__ void __launch_bounds__(256, 2) first(float* data) {
#pragma cudahot begin(body)
  data[threadIdx.x] += 1.0f;
#pragma cudahot end
}

__global__ void __launch_bounds__(128, 1, 2) second(float* data) {
#pragma cudahot begin(clustered)
  data[threadIdx.x] += 2.0f;
#pragma cudahot end
}

__global__ void __maxnreg__(32) third(float* data) {
#pragma cudahot begin(limited)
  data[threadIdx.x] += 3.0f;
#pragma cudahot end
}
