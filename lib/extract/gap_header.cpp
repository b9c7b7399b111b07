#include "lib/extract/gap_header.hpp"

namespace cudahot::extract {
namespace {

constexpr std::string_view kGapHeader = R"gap(#pragma once
#include <assert.h>

#undef __managed__
#define __managed__ __attribute__((device)) __attribute__((annotate("managed")))

template <class T> static __device__ void __stcs(T*, T);
template <class T> static __device__ void __stcg(T*, T);
template <class T> static __device__ void __stwb(T*, T);
template <class T> static __device__ T __ldca(const T*);
template <class T> static __device__ T __ldlu(const T*);
static __device__ float __tanhf(float);

// The CPU device has these, and what is built for it alone is parsed as for the oldest GPU. For an old GPU NVRTC
// refuses them.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define CUDAHOT_REDUCE(name, type) static __device__ type __reduce_##name##_sync(unsigned, type);
CUDAHOT_REDUCE(add, unsigned)
CUDAHOT_REDUCE(add, int)
CUDAHOT_REDUCE(min, unsigned)
CUDAHOT_REDUCE(min, int)
CUDAHOT_REDUCE(max, unsigned)
CUDAHOT_REDUCE(max, int)
CUDAHOT_REDUCE(and, unsigned)
CUDAHOT_REDUCE(or, unsigned)
CUDAHOT_REDUCE(xor, unsigned)
#undef CUDAHOT_REDUCE
#endif

#define CUDAHOT_PACKED_FLOAT2(mode)                                     \
  static __device__ float2 __fadd2_##mode(float2, float2);              \
  static __device__ float2 __fmul2_##mode(float2, float2);              \
  static __device__ float2 __ffma2_##mode(float2, float2, float2);
CUDAHOT_PACKED_FLOAT2(rn)
CUDAHOT_PACKED_FLOAT2(rz)
CUDAHOT_PACKED_FLOAT2(ru)
CUDAHOT_PACKED_FLOAT2(rd)
#undef CUDAHOT_PACKED_FLOAT2

#define __NV_ATOMIC_RELAXED 0
#define __NV_ATOMIC_CONSUME 1
#define __NV_ATOMIC_ACQUIRE 2
#define __NV_ATOMIC_RELEASE 3
#define __NV_ATOMIC_ACQ_REL 4
#define __NV_ATOMIC_SEQ_CST 5
#define __NV_THREAD_SCOPE_THREAD 0
#define __NV_THREAD_SCOPE_BLOCK 1
#define __NV_THREAD_SCOPE_CLUSTER 2
#define __NV_THREAD_SCOPE_DEVICE 3
#define __NV_THREAD_SCOPE_SYSTEM 4
static __device__ void __nv_atomic_thread_fence(int, int = 4);
template <class T> static __device__ T __nv_atomic_load_n(const T*, int, int = 4);
template <class T> static __device__ void __nv_atomic_load(const T*, T*, int, int = 4);
template <class T, class U> static __device__ void __nv_atomic_store_n(T*, U, int, int = 4);
template <class T> static __device__ void __nv_atomic_store(T*, T*, int, int = 4);
template <class T, class U> static __device__ T __nv_atomic_exchange_n(T*, U, int, int = 4);
template <class T> static __device__ void __nv_atomic_exchange(T*, T*, T*, int, int = 4);
template <class T, class U> static __device__ bool __nv_atomic_compare_exchange_n(T*, T*, U, bool, int, int, int = 4);
template <class T> static __device__ bool __nv_atomic_compare_exchange(T*, T*, T*, bool, int, int, int = 4);
#define CUDAHOT_NV_ATOMIC(operation)                                                                   \
  template <class T, class U> static __device__ T __nv_atomic_fetch_##operation(T*, U, int, int = 4);  \
  template <class T, class U> static __device__ void __nv_atomic_##operation(T*, U, int, int = 4);
CUDAHOT_NV_ATOMIC(add)
CUDAHOT_NV_ATOMIC(sub)
CUDAHOT_NV_ATOMIC(and)
CUDAHOT_NV_ATOMIC(or)
CUDAHOT_NV_ATOMIC(xor)
CUDAHOT_NV_ATOMIC(min)
CUDAHOT_NV_ATOMIC(max)
#undef CUDAHOT_NV_ATOMIC

// On 16 bytes.
template <class T, class = char[sizeof(T) == 16 ? 1 : -1]> static __device__ T atomicExch(T*, T);
template <class T, class = char[sizeof(T) == 16 ? 1 : -1]> static __device__ T atomicCAS(T*, T, T);

extern "C" __device__ void __nv_memcpy_async_shared_global_4_impl(void*, const void*, unsigned = 0);
extern "C" __device__ void __nv_memcpy_async_shared_global_8_impl(void*, const void*, unsigned = 0);
extern "C" __device__ void __nv_memcpy_async_shared_global_16_impl(void*, const void*, unsigned = 0);

// Host min and max for pairs of equal and of mixed types: nvcc has them in the global namespace.
#define CUDAHOT_HOST_MIN_MAX(result, left, right)                                                  \
  static inline __host__ result min(left a, right b) { return (result)b < (result)a ? (result)b : (result)a; } \
  static inline __host__ result max(left a, right b) { return (result)a < (result)b ? (result)b : (result)a; }
CUDAHOT_HOST_MIN_MAX(int, int, int)
CUDAHOT_HOST_MIN_MAX(unsigned, unsigned, unsigned)
CUDAHOT_HOST_MIN_MAX(unsigned, unsigned, int)
CUDAHOT_HOST_MIN_MAX(unsigned, int, unsigned)
CUDAHOT_HOST_MIN_MAX(long, long, long)
CUDAHOT_HOST_MIN_MAX(unsigned long, unsigned long, unsigned long)
CUDAHOT_HOST_MIN_MAX(unsigned long, unsigned long, long)
CUDAHOT_HOST_MIN_MAX(unsigned long, long, unsigned long)
CUDAHOT_HOST_MIN_MAX(long long, long long, long long)
CUDAHOT_HOST_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
CUDAHOT_HOST_MIN_MAX(unsigned long long, unsigned long long, long long)
CUDAHOT_HOST_MIN_MAX(unsigned long long, long long, unsigned long long)
CUDAHOT_HOST_MIN_MAX(float, float, float)
CUDAHOT_HOST_MIN_MAX(double, double, double)
CUDAHOT_HOST_MIN_MAX(double, float, double)
CUDAHOT_HOST_MIN_MAX(double, double, float)
#undef CUDAHOT_HOST_MIN_MAX
)gap";

}  // namespace

std::string_view gap_header() { return kGapHeader; }

}  // namespace cudahot::extract
