// What threads of a block and of a warp say to each other.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

// Threads from `staying` on leave before the barriers, which then count the others.
extern "C" __global__ void count_at_barriers(int* out, unsigned staying) {
  if (threadIdx.x >= staying) return;
  int counts[5];
#pragma cudahot begin(barriers)
  counts[0] = __syncthreads_count(threadIdx.x % 4 == 0);
  counts[1] = __syncthreads_and(threadIdx.x < staying);
  counts[2] = __syncthreads_and(threadIdx.x < staying - 1);
  counts[3] = __syncthreads_or(threadIdx.x == staying - 1);
  counts[4] = __syncthreads_or(threadIdx.x == staying);
#pragma cudahot end
  for (int i = 0; i < 5; ++i) out[5 * threadIdx.x + i] = counts[i];
}

// Odd-even transposition sort of one block's values: as many barriers as values.
extern "C" __global__ void sort(int* values) {
  extern __shared__ int shared[];
  const int i = threadIdx.x, n = blockDim.x;
  shared[i] = values[n * blockIdx.x + i];
  __syncthreads();
#pragma cudahot begin(sort)
  for (int pass = 0; pass < n; ++pass) {
    const int a = 2 * i + pass % 2;
    if (a + 1 < n && shared[a] > shared[a + 1]) {
      const int larger = shared[a];
      shared[a] = shared[a + 1];
      shared[a + 1] = larger;
    }
    __syncthreads();
  }
#pragma cudahot end
  values[n * blockIdx.x + i] = shared[i];
}

extern "C" __global__ void shuffle(int* out) {
  const int lane = threadIdx.x;
  int* mine = out + 8 * lane;
#pragma cudahot begin(shuffle)
  mine[0] = __shfl_sync(~0u, lane, 5, 8);
  mine[1] = __shfl_up_sync(~0u, lane, 3, 8);
  mine[2] = __shfl_down_sync(~0u, lane, 3, 8);
  mine[3] = __shfl_xor_sync(~0u, lane, 9, 8);
  mine[4] = __shfl_sync(~0u, lane, -1);
  mine[5] = static_cast<int>(__shfl_xor_sync(~0u, 0.5 + lane, 1));
  mine[6] = static_cast<int>(__shfl_sync(~0u, (1ll << 40) * lane, 7) >> 40);
  mine[7] = static_cast<int>(__shfl_down_sync(~0u, 0.25f * lane, 16) * 4);
#pragma cudahot end
}

// One warp, of which the first 8 lanes go on, in two halves of 4.
extern "C" __global__ void vote(unsigned* out) {
  const unsigned lane = threadIdx.x;
  if (lane >= 8) return;
  unsigned* mine = out + 12 * lane;
  const unsigned half = lane < 4 ? 0x0f : 0xf0;
#pragma cudahot begin(vote)
  mine[0] = __ballot_sync(half, lane % 2);
  mine[1] = __any_sync(half, lane == 5) != 0;
  mine[2] = __all_sync(half, lane < 4) != 0;
  mine[3] = __match_any_sync(0xff, lane % 3);
  int equal = 0, different = 1;
  mine[4] = __match_all_sync(half, lane / 4, &equal);
  mine[5] = equal != 0;
  mine[6] = __match_all_sync(half, 0.5 * lane, &different) + (different != 0);
  mine[7] = __reduce_add_sync(half, lane);
  mine[8] = __reduce_max_sync(half, -static_cast<int>(lane));
  mine[9] = __reduce_min_sync(half, lane + 1);
  mine[10] = __reduce_or_sync(0xff, 1u << lane);
  mine[11] = __reduce_xor_sync(half, lane) * 256 + __reduce_and_sync(half, lane);
#pragma cudahot end
}

// Each half of the warp turns its own values round through shared memory, `rounds` times, waiting
// for its own half only; the upper half does one round more.
extern "C" __global__ void rotate_halves(int* out, int rounds) {
  __shared__ int shared[32];
  const int lane = threadIdx.x, first = lane & 16;
  const unsigned half = 0xffffu << first;
  int value = lane;
  if (first) ++rounds;
#pragma cudahot begin(halves)
  for (int round = 0; round < rounds; ++round) {
    shared[lane] = value;
    __syncwarp(half);
    value = shared[first + (lane + 1) % 16];
    __syncwarp(half);
  }
#pragma cudahot end
  out[lane] = value;
}

template <typename Group>
__device__ int sum(const Group& group, int value) {
  for (int i = group.size() / 2; i > 0; i /= 2) value += group.shfl_down(value, i);
  return group.shfl(value, 0);
}

// A block of 8 x 8.
extern "C" __global__ void tiles(int* out) {
  __shared__ int shared[64];
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  cg::thread_block_tile<8> tile = cg::tiled_partition<8>(warp);
  const int rank = block.thread_rank();
  int* mine = out + 16 * rank;
#pragma cudahot begin(tiles)
  mine[0] = sum(tile, rank);
  mine[1] = tile.meta_group_rank() * 100 + tile.meta_group_size() * 10 + tile.thread_rank();
  mine[2] = warp.meta_group_rank() * 100 + warp.meta_group_size() * 10;
  mine[3] = tile.ballot(rank % 8 == 2);
  mine[4] = cg::reduce(warp, rank, cg::plus<int>());
  mine[5] = cg::reduce(tile, rank ^ 5, cg::greater<int>());
  mine[6] = cg::reduce(tile, rank ^ 5, cg::less<int>());
  mine[7] = cg::exclusive_scan(tile, rank);
  mine[8] = cg::inclusive_scan(warp, rank % 3 + 1, cg::plus<int>());
  mine[9] = tile.any(rank == 9) != 0;
  mine[10] = tile.all(rank >= 16) != 0;
  mine[11] = tile.shfl_xor(rank, 3) * 100 + tile.shfl_up(rank, 2);
  cg::thread_group group = cg::tiled_partition(block, 4);
  mine[12] = group.thread_rank() * 10 + group.size();
  group.sync();
  mine[13] = tile.match_any(rank / 2 % 2);
  shared[rank] = rank * 3;
  cg::sync(block);
  mine[14] = shared[63 - rank];
  mine[15] = block.thread_index().y * 1000 + block.group_dim().x * 100 + block.size();
#pragma cudahot end
}

// Rows of a grid's blocks and threads, in all three directions.
extern "C" __global__ void coordinates(uint3* out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  const unsigned at = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
#pragma cudahot begin(coordinates)
  out[at].x = blockIdx.x * blockDim.x + threadIdx.x;
  out[at].y = blockIdx.y * blockDim.y + threadIdx.y;
  out[at].z = blockIdx.z * blockDim.z + threadIdx.z;
#pragma cudahot end
}
