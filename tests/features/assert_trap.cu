// Checks: assert, __trap, __brkpt, static_assert
#include <cassert>

__global__ void check(const int* data) {
#pragma cudahot begin(body)
  static_assert(sizeof(int) == 4, "as everywhere");
  assert(data[threadIdx.x] >= 0);
  if (data[0] == 99) __trap();
  if (data[0] == 98) __brkpt();
#pragma cudahot end
}
