// CUB: block-wide reduction, scan and sort
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

__global__ void order(int* data) {
  using Sort = cub::BlockRadixSort<int, 128, 2>;
  using Reduce = cub::BlockReduce<int, 128>;
  using Scan = cub::BlockScan<int, 128>;
  __shared__ union {
    Sort::TempStorage sort;
    Reduce::TempStorage reduce;
    Scan::TempStorage scan;
  } storage;
#pragma cudahot begin(body)
  int items[2] = {data[2 * threadIdx.x], data[2 * threadIdx.x + 1]};
  Sort(storage.sort).Sort(items);
  __syncthreads();
  const int sum = Reduce(storage.reduce).Sum(items[0]);
  __syncthreads();
  Scan(storage.scan).ExclusiveSum(items[1], items[1]);
  data[threadIdx.x] = sum + items[1];
#pragma cudahot end
}
