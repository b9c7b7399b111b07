// Kernel facts and lowered names as the JSON texts that are stored in columns.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cudahot/result.hpp"
#include "lib/base/kernel_facts.hpp"

namespace cudahot::cache {

using LoweredNames = std::vector<std::pair<std::string, std::string>>;

std::string kernels_to_json(const std::vector<base::KernelFacts>& kernels);
std::string lowered_names_to_json(const LoweredNames& names);

// Errors: damaged.
Result<std::vector<base::KernelFacts>> kernels_from_json(std::string_view text);
Result<LoweredNames> lowered_names_from_json(std::string_view text);

}  // namespace cudahot::cache
