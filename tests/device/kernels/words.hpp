// What the kernels of atomics.cu count in, for both compilers.
#pragma once

struct Words {
  int i;
  unsigned u, above, below;
  long long signed_wide;
  unsigned long long wide;
  float f;
  double d;
};
