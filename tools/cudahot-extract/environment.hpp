// What a run needs beside its command line: Clang's headers.
#pragma once

#include <filesystem>
#include <optional>

#include "cudahot/result.hpp"

namespace cudahot::extract_tool {

// `explicit_folder`, else ../lib/cudahot/clang beside the program, else where the build found it.
// Errors: environment, naming every place that was looked at.
Result<std::filesystem::path> find_resource_dir(const std::optional<std::filesystem::path>& explicit_folder);

}  // namespace cudahot::extract_tool
