// Repeatable test inputs, from a generator that shares nothing with the library under test.
#pragma once

#include <random>

namespace cudahot::kernels {

class Inputs {
 public:
  explicit Inputs(unsigned seed) : engine_(seed) {}
  float in(float low, float high) { return std::uniform_real_distribution<float>(low, high)(engine_); }
  unsigned word() { return static_cast<unsigned>(engine_()); }

 private:
  std::mt19937 engine_;
};

}  // namespace cudahot::kernels
