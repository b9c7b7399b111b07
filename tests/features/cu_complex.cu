// Complex numbers of cuComplex.h
#include <cuComplex.h>

__global__ void rotate(cuFloatComplex* data, cuDoubleComplex* wide) {
#pragma cudahot begin(body)
  data[threadIdx.x] = cuCmulf(data[threadIdx.x], make_cuFloatComplex(0, 1));
  wide[threadIdx.x] = cuCfma(wide[0], wide[1], cuConj(wide[2]));
#pragma cudahot end
}
