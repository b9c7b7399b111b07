// Atomic functions on 128 bits
struct alignas(16) Pair {
  long long first, second;
};

__global__ void swap(Pair* data, ulonglong2* out) {
#pragma cudahot begin(body)
  const Pair old = atomicExch(data, Pair{1, 2});
  const Pair found = atomicCAS(data + 1, old, Pair{3, 4});
  out->x = static_cast<unsigned long long>(found.first);
#pragma cudahot end
}
