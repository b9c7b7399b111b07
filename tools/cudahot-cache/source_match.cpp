#include "tools/cudahot-cache/source_match.hpp"

#include <algorithm>
#include <iterator>
#include <system_error>

namespace cudahot::tool {
namespace {

namespace fs = std::filesystem;

// Links resolved as far as the path exists.
fs::path resolved(const fs::path& file) {
  std::error_code error;
  auto path = fs::weakly_canonical(fs::absolute(file, error), error);
  return error ? fs::path() : path;
}

bool ends_with(const fs::path& path, const fs::path& end) {
  auto component = path.end();
  for (auto wanted = end.end(); wanted != end.begin();) {
    if (component == path.begin() || *--component != *--wanted) return false;
  }
  return true;
}

}  // namespace

SourceMatch match_source(const fs::path& file, const std::vector<std::string>& stored) {
  SourceMatch match;
  if (file.empty()) return match;
  const auto take = [&](auto is_meant) {
    std::ranges::copy_if(stored, std::back_inserter(match.sources), is_meant);
    return !match.sources.empty();
  };
  std::error_code ignored;
  const fs::path written = fs::absolute(file, ignored).lexically_normal();
  const fs::path real = resolved(file);
  match.same_file = take([&](const std::string& source) {
    return !source.empty() && (fs::path(source) == written || (!real.empty() && resolved(source) == real));
  });
  if (match.same_file) return match;
  const fs::path end = file.lexically_normal();
  take([&](const std::string& source) { return ends_with(source, end); });
  return match;
}

}  // namespace cudahot::tool
