// Atomic operations: their old values in one thread, their sums under contention, their scopes.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "words.hpp"

// One thread. old: 18 numbers.
extern "C" __global__ void one_by_one(Words* w, double* old) {
#pragma cudahot begin(one_by_one)
  old[0] = atomicAdd(&w->i, 5);
  old[1] = atomicSub(&w->i, 2);
  old[2] = atomicMin(&w->i, -7);
  old[3] = atomicMax(&w->i, 3);
  old[4] = atomicExch(&w->i, 9);
  old[5] = atomicCAS(&w->i, 9, 12);
  old[6] = atomicCAS(&w->i, 9, 13);
  old[7] = atomicXor(&w->i, 1);
  for (int n = 0; n < 5; ++n) old[8] = atomicInc(&w->above, 3);
  for (int n = 0; n < 3; ++n) old[9] = atomicDec(&w->below, 3);
  old[10] = atomicAdd(&w->wide, 1ull << 40);
  old[11] = atomicOr(&w->wide, 5ull);
  old[12] = atomicAnd(&w->wide, ~1ull);
  old[13] = atomicMin(&w->signed_wide, -5ll);
  old[14] = atomicMax(&w->signed_wide, 6ll);
  old[15] = atomicAdd(&w->f, 0.5f);
  old[16] = atomicAdd(&w->d, 2.0);
  old[17] = atomicExch(&w->f, 8.0f);
#pragma cudahot end
}

struct Totals {
  int sum, least, most;
  unsigned bits_or, bits_and, bits_xor, turns, turns_back;
  unsigned long long wide_sum, wide_or, wide_and, wide_xor, wide_most, swapped;
  long long wide_least;
  float float_sum;
  double double_sum;
  __half2 halves;
  __nv_bfloat162 brains;
  __half half_sum;
  __nv_bfloat16 brain_sum;
};

// All threads of all blocks, on the same words.
extern "C" __global__ void all_at_once(Totals* t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#pragma cudahot begin(all_at_once)
  atomicAdd(&t->sum, i);
  atomicMin(&t->least, -i);
  atomicMax(&t->most, i);
  atomicOr(&t->bits_or, 1u << i % 29);
  atomicAnd(&t->bits_and, ~(1u << i % 7));
  atomicXor(&t->bits_xor, static_cast<unsigned>(i));
  atomicInc(&t->turns, 100u);
  atomicDec(&t->turns_back, 100u);
  atomicAdd(&t->wide_sum, 1ull << 33);
  atomicOr(&t->wide_or, 1ull << i % 64);
  atomicAnd(&t->wide_and, ~(1ull << i % 50));
  atomicXor(&t->wide_xor, static_cast<unsigned long long>(i) << 32);
  atomicMax(&t->wide_most, static_cast<unsigned long long>(i) << 40);
  atomicMin(&t->wide_least, -(static_cast<long long>(i) << 40));
  atomicAdd(&t->float_sum, 0.25f);
  atomicAdd(&t->double_sum, 0.125);
  atomicAdd(&t->halves, __floats2half2_rn(1.0f, -0.5f));
  atomicAdd(&t->brains, __floats2bfloat162_rn(i < 100 ? 1.0f : 0.0f, -1.0f * (i < 100)));
  atomicAdd(&t->half_sum, __float2half(0.25f));
  atomicAdd(&t->brain_sum, __float2bfloat16(i < 200 ? 0.5f : 0.0f));
  // An operation that CUDA does not have, made from compare and swap.
  unsigned long long seen = t->swapped, before;
  do {
    before = seen;
    seen = atomicCAS(&t->swapped, before, before + 3);
  } while (seen != before);
#pragma cudahot end
}

// Each block counts in its own shared memory and in a global word of its own; the grid and the
// system in one word each.
extern "C" __global__ void in_scopes(int* of_block, int* of_system, int* from_shared) {
  __shared__ int shared;
  if (threadIdx.x == 0) shared = 0;
  __syncthreads();
#pragma cudahot begin(in_scopes)
  atomicAdd_block(&shared, 2);
  atomicAdd_block(of_block + blockIdx.x, 3);
  atomicMax_block(of_block + gridDim.x + blockIdx.x, static_cast<int>(threadIdx.x));
  atomicAdd_system(of_system, 5);
  atomicMin_system(of_system + 1, -static_cast<int>(threadIdx.x));
  if (threadIdx.x == 0) atomicCAS_system(of_system + 2, 0, 77);
  if (threadIdx.x == 0) atomicExch_block(of_block + 2 * gridDim.x + blockIdx.x, static_cast<int>(blockIdx.x) + 1);
#pragma cudahot end
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(from_shared, shared);
}

// The first threads of all blocks take turns at a lock; under it nothing is atomic.
extern "C" __global__ void under_a_lock(int* lock, volatile int* count) {
  if (threadIdx.x != 0) return;
#pragma cudahot begin(under_a_lock)
  while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);
  __threadfence();
  count[0] = count[0] + 1;
  count[1] = count[1] + count[0];
  __threadfence();
  atomicExch(lock, 0);
#pragma cudahot end
}

// The last block to arrive adds up what the others left (the pattern of the Programming Guide's
// "Memory Fence Functions").
extern "C" __global__ void last_block_sums(volatile int* partial, unsigned* arrived, int* total) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
#pragma cudahot begin(last_block)
    partial[blockIdx.x] = static_cast<int>(blockIdx.x * blockIdx.x);
    __threadfence();
    last = atomicInc(arrived, gridDim.x) == gridDim.x - 1;
#pragma cudahot end
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    int sum = 0;
    for (int block = 0; block < gridDim.x; ++block) sum += partial[block];
    *total = sum;
  }
}
