// The API in device code: streams, events, memory, errors
// flags: -rdc=true
#include <cstdio>

__global__ void worker(int* data) { data[threadIdx.x] += 1; }

__global__ void start(int** out) {
#pragma cudahot begin(body)
  cudaStream_t stream;
  cudaEvent_t done;
  if (cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return;
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaMalloc(reinterpret_cast<void**>(out), 32 * sizeof(int));
  cudaMemsetAsync(*out, 0, 32 * sizeof(int), stream);
  worker<<<1, 32, 0, stream>>>(*out);
  cudaEventRecord(done, stream);
  cudaStreamDestroy(stream);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) printf("%s\n", cudaGetErrorString(error));
#pragma cudahot end
}
