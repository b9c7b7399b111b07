// What NVRTC has built in, for a slice that is compiled for the host. Included before the slice; includes nothing of
// the system's.
#pragma once

#include "cudahot_cpu/atomics.h"
#include "cudahot_cpu/integers.h"
#include "cudahot_cpu/math.h"
#include "cudahot_cpu/math_more.h"
#include "cudahot_cpu/memory.h"
#include "cudahot_cpu/module.h"
#include "cudahot_cpu/rounding.h"
#include "cudahot_cpu/textures.h"
#include "cudahot_cpu/threads.h"
#include "cudahot_cpu/vectors.h"
#include "cudahot_cpu/warp.h"
#include "cudahot_cpu/words.h"
