// What NVRTC lacks of nvcc's extended lambdas.
#pragma once

#include <string>
#include <string_view>

namespace cudahot::build {

// The text with the execution spaces of lambdas blanked, as in `[=] __host__ __device__ (int i) {}`: NVRTC refuses
// them, and takes every lambda for one of the device. Also where a macro of the text stands for them. Nothing moves.
std::string without_lambda_annotations(std::string_view text);

}  // namespace cudahot::build
