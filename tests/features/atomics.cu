// Atomic functions: all types, block and system scope
__global__ void count(int* i, unsigned long long* u, float* f, double* d) {
#pragma cudahot begin(body)
  atomicAdd(i, 1);
  atomicMax_block(i, atomicCAS(i + 1, 0, 1));
  atomicExch(u, atomicOr_system(u + 1, 3ull));
  atomicAdd(f, 1.0f);
  atomicAdd_system(d, 1.0);
  atomicInc(reinterpret_cast<unsigned*>(i), 7u);
#pragma cudahot end
}
