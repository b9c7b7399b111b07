#include "tools/cudahot-extract/depfile.hpp"

#include <unordered_set>

namespace cudahot::extract_tool {

std::string escape_for_make(std::string_view path) {
  std::string escaped;
  for (const char c : path) {
    if (c == ' ' || c == '#') escaped += '\\';
    if (c == '$') escaped += '$';
    escaped += c;
  }
  return escaped;
}

std::string depfile_text(std::string_view target, const std::vector<std::string>& dependencies) {
  std::string text = escape_for_make(target) + ":";
  std::unordered_set<std::string_view> seen;
  for (const auto& dependency : dependencies) {
    if (seen.insert(dependency).second) text += " \\\n  " + escape_for_make(dependency);
  }
  return text + "\n";
}

}  // namespace cudahot::extract_tool
