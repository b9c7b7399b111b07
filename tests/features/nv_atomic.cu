// Atomic built-ins with memory order and scope
__global__ void count(int* data, unsigned* words) {
#pragma cudahot begin(body)
  __nv_atomic_add(data, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  const int old = __nv_atomic_fetch_add(data, 2, __NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_store_n(data + 1, old, __NV_ATOMIC_RELEASE);
  data[2] = __nv_atomic_load_n(data + 1, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_SYSTEM);
  data[3] = __nv_atomic_exchange_n(data + 4, 9, __NV_ATOMIC_SEQ_CST);
  int expected = 9;
  __nv_atomic_compare_exchange_n(data + 4, &expected, 10, false, __NV_ATOMIC_ACQ_REL, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_max(data + 5, 3, __NV_ATOMIC_RELAXED);
  __nv_atomic_fetch_or(words, 3u, __NV_ATOMIC_RELAXED);
  __nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_DEVICE);
#pragma cudahot end
}
