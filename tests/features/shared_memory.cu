// Shared memory: static, dynamic, of a template
template <typename T>
__device__ T* dynamic() {
  extern __shared__ __align__(16) unsigned char bytes[];
  return reinterpret_cast<T*>(bytes);
}

__global__ void turn(float* data) {
  __shared__ float tile[32][33];
#pragma cudahot begin(body)
  float* const more = dynamic<float>();
  tile[threadIdx.y][threadIdx.x] = data[threadIdx.x];
  more[threadIdx.x] = data[threadIdx.y];
  __syncthreads();
  data[threadIdx.x] = tile[threadIdx.x][threadIdx.y] + more[0];
#pragma cudahot end
}
