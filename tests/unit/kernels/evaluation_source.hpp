// The device side of evaluate_all.cuh: one text with the library in it, and a kernel.
#pragma once

#include <filesystem>
#include <string>

#include <fmt/format.h>

#include "kernels/helper_library_source.hpp"
#include "lib/base/files.hpp"

namespace cudahot::kernels {

// Its kernel `evaluate(float* results)` writes the results for index i at results[i * stride].
inline Result<std::string> evaluation_source(const std::filesystem::path& evaluate_all, int stride) {
  auto text = base::read_file(evaluate_all);
  if (!text) return text;
  return fmt::format(R"({}
namespace device = cudahot::device;
{}
extern "C" __global__ void evaluate(float* results) {{
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  cudahot::kernels::evaluate_all(index, results + index * {}u);
}}
)",
                     helper_library_source().text, *text, stride);
}

}  // namespace cudahot::kernels
