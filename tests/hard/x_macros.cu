// X-macros, a file that is included several times, macros of all kinds.
#include <string>

enum class Operation {
#define OPERATION(name, expression) name,
#include "parts/operations.def"
#undef OPERATION
};
#define OPERATION(name, expression) \
  __device__ float do_##name(float a, float b) { return expression; }
#include "parts/operations.def"
#undef OPERATION
std::string name_of(Operation operation) {
  switch (operation) {
#define OPERATION(name, expression) \
  case Operation::name:             \
    return #name;
#include "parts/operations.def"
#undef OPERATION
  }
  return "";
}
#define SCALE_TYPE float
#define SCALE_NAME scale_float
#define SCALE_BY 2.0f
#include "parts/scale.inl"
#define SCALE_TYPE int
#define SCALE_NAME scale_int
#define SCALE_BY 3
#include "parts/scale.inl"
#define FOR_EACH(i, n) for (int i = 0; i < (n); ++i)
#define SUM(...) sum_of(__VA_ARGS__)
__device__ float sum_of(float a, float b, float c) { return a + b + c; }

__device__ float done(Operation operation, float a, float b) {
  float result = 0;
  switch (operation) {
#define OPERATION(name, expression) \
  case Operation::name:             \
    result = do_##name(a, b);       \
    break;
#include "parts/operations.def"
#undef OPERATION
  }
  return result;
}

// A region may not hold an #include.
__global__ void expanded(float* out, Operation operation, float a, float b) {
  float result = done(operation, a, b);
  FOR_EACH(i, 3) result += scale_float(result) + scale_int(i);
  out[threadIdx.x] = SUM(result, a, b);
}
