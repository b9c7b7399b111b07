// Definitions of cudahot/device.cuh, by topic; written once, inline or not as the macros say.
#pragma once

// Helpers of the definitions: inlined, so never symbols of the helper library.
#define CUDAHOT_DEVICE_LOCAL __device__ __forceinline__

#include "cudahot/device_impl/vector.cuh"
// Above: what the others use.
#include "cudahot/device_impl/color.cuh"
#include "cudahot/device_impl/distance.cuh"
#include "cudahot/device_impl/easing.cuh"
#include "cudahot/device_impl/hash.cuh"
#include "cudahot/device_impl/noise.cuh"
#include "cudahot/device_impl/rotation.cuh"

#undef CUDAHOT_DEVICE_LOCAL
