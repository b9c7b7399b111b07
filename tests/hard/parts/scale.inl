__device__ SCALE_TYPE SCALE_NAME(SCALE_TYPE value) { return value * SCALE_BY; }
#undef SCALE_TYPE
#undef SCALE_NAME
#undef SCALE_BY
