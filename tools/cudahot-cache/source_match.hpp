// Which stored sources a file means, as the user names it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace cudahot::tool {

struct SourceMatch {
  std::vector<std::string> sources;  // in the order of `stored`
  bool same_file = false;            // they are the file itself, by several paths if there are many
};

// Those that are this file: the same path, or the same file through links. Where there are none, those whose path ends
// with `file`, by whole components: "shade.cu" finds "/src/shade.cu".
SourceMatch match_source(const std::filesystem::path& file, const std::vector<std::string>& stored);

}  // namespace cudahot::tool
