#include "tools/cudahot-cache/file_system.hpp"

#include <fstream>
#include <sstream>
#include <vector>

namespace cudahot::tool {
namespace {

namespace fs = std::filesystem;

// "\040" stands for a blank, and so on.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      result += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  auto part = path.begin();
  for (const auto& wanted : folder) {
    if (part == path.end() || *part != wanted) return false;
    ++part;
  }
  return true;
}

}  // namespace

std::string mounted_type(std::string_view mountinfo, const fs::path& path) {
  constexpr std::size_t kMountPoint = 4;
  std::string type;
  std::size_t longest = 0;
  std::istringstream lines{std::string(mountinfo)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::vector<std::string> fields;
    for (std::string word; words >> word;) fields.push_back(word);
    std::size_t separator = kMountPoint;
    while (separator < fields.size() && fields[separator] != "-") ++separator;
    if (separator + 1 >= fields.size()) continue;
    const std::string mount_point = unescaped(fields[kMountPoint]);
    if (mount_point.size() < longest || !lies_in(path, mount_point)) continue;
    longest = mount_point.size();
    type = fields[separator + 1];  // of several on one point the last is on top
  }
  return type;
}

std::string file_system_type(const fs::path& file) {
  std::error_code error;
  const fs::path path = fs::weakly_canonical(fs::absolute(file, error), error);
  std::ostringstream mountinfo;
  mountinfo << std::ifstream("/proc/self/mountinfo").rdbuf();
  return error ? std::string() : mounted_type(mountinfo.str(), path);
}

}  // namespace cudahot::tool
