// sm_100a: tensor memory
// architectures: 100a
__global__ void allocate(unsigned* out) {
  __shared__ unsigned address;
#pragma cudahot begin(body)
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&address));
  asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 32;" ::"r"(at) : "memory");
  __syncthreads();
  out[threadIdx.x] = address;
  asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 32;" ::"r"(address));
  asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
#pragma cudahot end
}
