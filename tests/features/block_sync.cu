// Block: barriers that count, fences, named barriers
__global__ void agree(int* data) {
#pragma cudahot begin(body)
  const int any = __syncthreads_or(data[threadIdx.x]) + __syncthreads_count(data[threadIdx.x] > 0);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  asm volatile("bar.sync 1, 64;");
  data[threadIdx.x] = any;
#pragma cudahot end
}
