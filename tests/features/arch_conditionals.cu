// Conditionals on architecture and compiler
__global__ void choose(int* data) {
#pragma cudahot begin(body)
#if __CUDA_ARCH__ >= 900 && defined(__CUDACC__)
  data[threadIdx.x] = 90;
#else
  data[threadIdx.x] = __CUDA_ARCH__;
#endif
#ifdef __CUDACC_VER_MAJOR__
  data[0] = __CUDACC_VER_MAJOR__;
#endif
#pragma cudahot end
}
