#include "host_results.hpp"

#include "tests/unit/kernels/host_device.hpp"
#define __device__
#include "tests/unit/kernels/evaluate_all.cuh"

namespace cudahot::kernels {

std::size_t most_results() { return kMostResults; }

std::size_t exact_results() {
  std::vector<float> results(kMostResults);
  Evaluation evaluation(0, results.data());
  return static_cast<std::size_t>(evaluate_exact(evaluation));
}

std::vector<float> host_results(unsigned index) {
  std::vector<float> results(kMostResults);
  const int count = evaluate_all(index, results.data());
  results.resize(static_cast<std::size_t>(count));
  return results;
}

}  // namespace cudahot::kernels
