#ifndef PARTS_GUARDED_CUH
#define PARTS_GUARDED_CUH
__device__ inline float guarded(float x) { return x * 0.75f; }
#endif
