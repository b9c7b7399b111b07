// Warp: shuffles, votes, match, reductions, active mask
__global__ void exchange(int* data) {
#pragma cudahot begin(body)
  const unsigned mask = __activemask();
  int value = __shfl_xor_sync(mask, data[threadIdx.x], 1);
  value += __shfl_up_sync(mask, value, 1) + static_cast<int>(__ballot_sync(mask, value > 0));
  value += static_cast<int>(__match_any_sync(mask, value)) + __all_sync(mask, value) + __reduce_add_sync(mask, value);
  __syncwarp(mask);
  data[threadIdx.x] = value;
#pragma cudahot end
}
