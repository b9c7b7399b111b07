// The device library compiled for the host: what a CUDA compiler would supply, and the header.
#pragma once

#include <cmath>

struct float2 {
  float x, y;
};
struct float3 {
  float x, y, z;
};
struct float4 {
  float x, y, z, w;
};
struct uint2 {
  unsigned x, y;
};
struct uint3 {
  unsigned x, y, z;
};
struct uint4 {
  unsigned x, y, z, w;
};

#define __device__
#define __forceinline__ inline
#include <cudahot/device.cuh>
#undef __device__
#undef __forceinline__

namespace device = cudahot::device;
