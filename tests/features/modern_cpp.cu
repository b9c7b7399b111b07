// C++17 and 20: structured bindings, range for, nested namespaces, attributes
// flags: -std=c++20
#include <cstdint>

namespace scene::detail {
struct Pair {
  int first, second;
};
enum class Mode : std::uint8_t { off, on };
using enum Mode;
}  // namespace scene::detail

__global__ void use(int* data) {
#pragma cudahot begin(body)
  using namespace scene::detail;
  const int weights[] = {1, 2, 3};
  int total = 0;
  for (const int weight : weights) total += weight;
  if (const auto [first, second] = Pair{total, 2}; first > second) data[threadIdx.x] = 0b1010 + 1'000;
  [[maybe_unused]] const Mode mode = on;
#pragma cudahot end
}
