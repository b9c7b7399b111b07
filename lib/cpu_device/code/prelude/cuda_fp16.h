// __half and __half2 with the functions of the toolkit's header of this name that kernels use.
#pragma once

#include "cudahot_cpu/small_float.h"

namespace cudahot_cpu {
using HalfFormat = SmallFormat<10, 15>;
}

CUDAHOT_CPU_SMALL_FLOAT(__half, __half2, HalfFormat)
CUDAHOT_CPU_SMALL_CONVERSIONS(__half, __half2, HalfFormat, half, half2)

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
