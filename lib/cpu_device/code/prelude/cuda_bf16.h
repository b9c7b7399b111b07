// __nv_bfloat16 and __nv_bfloat162 with the functions of the toolkit's header of this name that kernels use.
#pragma once

#include "cudahot_cpu/small_float.h"

namespace cudahot_cpu {
using BrainFormat = SmallFormat<7, 127>;
}

CUDAHOT_CPU_SMALL_FLOAT(__nv_bfloat16, __nv_bfloat162, BrainFormat)
CUDAHOT_CPU_SMALL_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, BrainFormat, bfloat16, bfloat162)

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
