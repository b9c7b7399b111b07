// Kernel facts, lowered names and source files as the JSON texts that are stored in columns.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cache/store.hpp"
#include "cudahot/result.hpp"
#include "lib/base/kernel_facts.hpp"

namespace cudahot::cache {

using LoweredNames = std::vector<std::pair<std::string, std::string>>;

std::string kernels_to_json(const std::vector<base::KernelFacts>& kernels);
std::string lowered_names_to_json(const LoweredNames& names);
std::string files_to_json(const std::vector<SourceFile>& files);

// Errors: damaged.
Result<std::vector<base::KernelFacts>> kernels_from_json(std::string_view text);
Result<LoweredNames> lowered_names_from_json(std::string_view text);
Result<std::vector<SourceFile>> files_from_json(std::string_view text);

}  // namespace cudahot::cache
