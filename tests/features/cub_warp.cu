// CUB: warp-wide reduction and scan
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

__global__ void sum(int* data) {
  using Reduce = cub::WarpReduce<int>;
  using Scan = cub::WarpScan<int>;
  __shared__ Reduce::TempStorage reduce;
  __shared__ Scan::TempStorage scan;
#pragma cudahot begin(body)
  int value = Reduce(reduce).Sum(data[threadIdx.x]);
  Scan(scan).InclusiveSum(value, value);
  data[threadIdx.x] = value;
#pragma cudahot end
}
