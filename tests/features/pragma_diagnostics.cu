// Pragmas: nv_diag_suppress, push and pop
#pragma nv_diag_suppress 177

__device__ void unused() { int never_read = 3; }

__global__ void quiet(int* data) {
#pragma cudahot begin(body)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 550
  int set_only;
  set_only = 1;
  data[threadIdx.x] = 2;
#pragma nv_diagnostic pop
#pragma cudahot end
}
