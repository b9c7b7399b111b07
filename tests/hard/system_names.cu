// Macros, typedefs and functions of the system's headers in device code, and host code that needs more of them.
#include <cassert>
#include <cfloat>
#include <climits>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <sys/types.h>

#define DEGREES(radians) ((radians) * 180.0 / M_PI)

__global__ void system_names(float* out, uint32_t words, int64_t wide, size_t count, uint8_t byte, ssize_t step, uint flags) {
  assert(count > 0);
  float value = FLT_MAX;
  char text[8];
  memset(text, 0, sizeof(text));
  memcpy(text, &words, sizeof(words));
  if (words == UINT32_MAX || wide > INT_MAX || byte == CHAR_BIT) value = FLT_EPSILON;
  if (step < 0) printf("%u %lld\n", words, static_cast<long long>(wide));
  value += std::numeric_limits<float>::infinity() == INFINITY ? 1 : std::numeric_limits<int>::max();
  out[threadIdx.x] = value + static_cast<float>(DEGREES(M_PI_2)) + fmaxf(value, 2) + std::fmin(value, 3.0f) +
                     static_cast<float>(flags + text[1]) + isnan(value);
}

int on_host(const char* text) { return std::strlen(text) > SSIZE_MAX ? EOF : 0; }
