#pragma once
#include "guarded.cuh"
__device__ inline float once(float x) { return guarded(x) + 1; }
