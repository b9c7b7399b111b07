// Parameters: __grid_constant__ structures read in place
struct Settings {
  float weights[64];
};

__device__ float weight(const Settings* settings, int i) { return settings->weights[i]; }

__global__ void apply(const __grid_constant__ Settings settings, float* data) {
#pragma cudahot begin(body)
  data[threadIdx.x] *= weight(&settings, static_cast<int>(threadIdx.x));
#pragma cudahot end
}
