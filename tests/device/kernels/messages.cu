// What kernels tell the host besides their results.
#include <cassert>
#include <cstdio>

extern "C" __global__ void say(int number, float real) {
#pragma cudahot begin(say)
  printf("%d %u %lld %x|", number, 4000000000u, -(1ll << 40), 255);
  printf("%f %8.3f %e %g|", real, 2.0 / 3.0, 12345.678, 0.5);
  printf("%s %c %5d %-5d|%%\n", "text", 'c', short(-3), 42);
  printf("plain\n");
#pragma cudahot end
}

extern "C" __global__ void say_in_all_threads() {
#pragma cudahot begin(say_in_all)
  printf("%u.%u\n", blockIdx.x, threadIdx.x);
#pragma cudahot end
}

extern "C" __global__ void require(int n, int* out) {
#pragma cudahot begin(require)
  assert(n < 2);
  *out = n;
#pragma cudahot end
}

extern "C" __global__ void give_up(int n, int* out) {
#pragma cudahot begin(give_up)
  if (n >= 2) __trap();
  *out = n;
#pragma cudahot end
}

extern "C" __global__ void tick(long long* out) {
#pragma cudahot begin(tick)
  const long long before = clock64();
  const clock_t short_before = clock();
  __nanosleep(1000);
  out[0] = clock64() - before;
  out[1] = static_cast<unsigned>(clock() - short_before) > 0;
#pragma cudahot end
}
