#include "lib/extract/device_headers.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "lib/base/files.hpp"

namespace cudahot::extract {
namespace {

namespace fs = std::filesystem;

std::string_view without_blanks(std::string_view text) {
  return text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
}

// NAME of a line `#include <NAME>` or `#include "NAME"`.
std::optional<std::string_view> included_name(std::string_view line) {
  line = without_blanks(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = without_blanks(line.substr(1));
  constexpr std::string_view kWord = "include";
  if (!line.starts_with(kWord)) return std::nullopt;
  line = without_blanks(line.substr(kWord.size()));
  if (!line.starts_with('<') && !line.starts_with('"')) return std::nullopt;
  const std::size_t end = line.find(line.front() == '<' ? '>' : '"', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return line.substr(1, end - 1);
}

}  // namespace

std::vector<std::string> all_included(const std::vector<std::string>& headers, const fs::path& include) {
  std::set<std::string> found;
  std::vector<std::string> open;
  std::map<std::string, bool> tried;  // whether it is a file; the same few names are asked for over and over
  const auto add = [&](const fs::path& path) {
    const auto [known, is_new] = tried.emplace(path.string(), false);
    if (!is_new) return known->second;
    std::error_code error;
    if (!fs::is_regular_file(path, error)) return false;
    const fs::path real = fs::canonical(path, error);
    if (!error && found.insert(real.string()).second) open.push_back(real.string());
    known->second = !error;
    return known->second;
  };
  for (const std::string& header : headers) add(header);
  while (!open.empty()) {
    const fs::path header = std::move(open.back());
    open.pop_back();
    const auto text = base::read_file(header);
    if (!text) continue;
    for (std::size_t begin = 0; begin < text->size();) {
      const std::size_t end = std::min(text->find('\n', begin), text->size());
      if (const auto name = included_name(std::string_view(*text).substr(begin, end - begin))) {
        static_cast<void>(add(header.parent_path() / *name) || add(include / *name) || add(include / "cccl" / *name));
      }
      begin = end + 1;
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace cudahot::extract
