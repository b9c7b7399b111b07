// The results of evaluate_all.cuh as the host computes them. Apart from the test, because the
// host's float2 and CUDA's cannot be in one file.
#pragma once

#include <cstddef>
#include <vector>

namespace cudahot::kernels {

std::size_t most_results();

// How many of the first results are the same bits everywhere.
std::size_t exact_results();

// Results of one index.
std::vector<float> host_results(unsigned index);

}  // namespace cudahot::kernels
