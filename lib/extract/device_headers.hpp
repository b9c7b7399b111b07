// The headers of the toolkit that the device compiler may read.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cudahot::extract {

// The toolkit's headers that `headers` include, directly or not, in any branch of any conditional;
// `headers` are among them. More than Clang reads: headers look at who compiles them, and the
// device compiler may take other branches. Paths, sorted; what is no file of `include`, the
// toolkit's folder of headers, is left out.
std::vector<std::string> all_included(const std::vector<std::string>& headers, const std::filesystem::path& include);

}  // namespace cudahot::extract
