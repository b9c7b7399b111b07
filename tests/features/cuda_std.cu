// libcu++: traits, tuple, optional, array, span, limits
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/type_traits>

__device__ cuda::std::optional<float> positive(float x) {
  if (x > 0) return x;
  return cuda::std::nullopt;
}

__global__ void pick(float* data, int n) {
#pragma cudahot begin(body)
  const cuda::std::span<float> all(data, n);
  const cuda::std::tuple<float, int> pair(all[threadIdx.x], n);
  cuda::std::array<float, 2> both = {cuda::std::get<0>(pair), cuda::std::numeric_limits<float>::max()};
  static_assert(cuda::std::is_same_v<decltype(both)::value_type, float>);
  data[threadIdx.x] = positive(both[0]).value_or(both[1]);
#pragma cudahot end
}
