// The standard library in device code: limits, min, max, move, mathematics
// flags: --expt-relaxed-constexpr
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

__global__ void use(float* data, std::uint32_t n) {
#pragma cudahot begin(body)
  float low = std::numeric_limits<float>::max(), high = -FLT_MAX;
  for (std::uint32_t i = 0; i < n; ++i) {
    low = std::min(low, data[i]);
    high = std::max(high, std::fabs(data[i]));
  }
  static_assert(std::is_same<std::remove_reference<float&>::type, float>::value, "");
  data[threadIdx.x] = std::move(low) + std::sqrt(high) + static_cast<float>(M_PI);
#pragma cudahot end
}
