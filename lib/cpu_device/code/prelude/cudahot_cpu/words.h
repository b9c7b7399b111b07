// Words of CUDA that are no C++: attributes and predefined macros.
#pragma once

#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDAHOT_CPU__ 1

#define __global__
#define __device__
#define __host__
#define __managed__
#define __constant__
// All threads of a block run on one operating system thread, which ends a block before it starts the next: what
// belongs to that thread belongs to the block. Where it lies is decided in module.h.
#define __shared__ thread_local
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __forceinline__ inline __attribute__((always_inline))
#define __inline_hint__
#define __device_builtin__
#define __cudart_builtin__
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __align__(n) __attribute__((aligned(n)))
#define __nv_pure__ __attribute__((pure))
#define CUDARTAPI

typedef decltype(sizeof(0)) size_t;

namespace cudahot_cpu {

template <typename T>
struct Plain {
  using type = T;
};
template <typename T>
struct Plain<const T> {
  using type = T;
};

// T, where it must not be deduced.
template <typename T>
using Same = typename Plain<T>::type;

}  // namespace cudahot_cpu
