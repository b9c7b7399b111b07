// Dynamic parallelism: kernels launched by kernels
// flags: -rdc=true
template <typename T>
__global__ void fill(T* data, T value) {
  data[threadIdx.x] = value;
}

__global__ void halve(int* data, int n) {
  if (n > 1) halve<<<1, 1>>>(data, n / 2);
  data[n] = n;
}

__global__ void start(int* data, int n) {
#pragma cudahot begin(body)
  fill<<<1, n>>>(data, 7);
  halve<<<1, 1, 0, cudaStreamTailLaunch>>>(data, n);
#pragma cudahot end
}
