#include "lib/extract/lookups.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "lib/extract/gap_header.hpp"

namespace cudahot::extract {
namespace {

namespace fs = std::filesystem;

class Lookups {
 public:
  explicit Lookups(const FileOwners& owners) : owners_(owners) {}

  void add_missing(fs::path path) {
    while (path.has_relative_path() && !is_there(path.parent_path())) path = path.parent_path();
    // What has appeared since it was looked for is told as missing all the same: the next look sees the difference.
    if (is_users(path)) found_.emplace(path.string(), false);
  }

  void add_found(const fs::path& path) {
    if (is_users(path)) found_[path.string()] = true;
  }

  std::vector<region::Lookup> list() const {
    std::vector<region::Lookup> lookups;
    for (const auto& [path, found] : found_) lookups.push_back({path, found});
    return lookups;
  }

 private:
  // The folder's real path; empty when it is not there. Few folders are asked for over and over.
  const std::string& real_folder(const fs::path& folder) {
    const auto [known, is_new] = real_folders_.try_emplace(folder.string());
    if (is_new) {
      std::error_code error;
      const fs::path real = fs::canonical(folder, error);
      if (!error) known->second = real.string();
    }
    return known->second;
  }

  bool is_there(const fs::path& folder) { return !real_folder(folder).empty(); }

  bool is_users(const fs::path& path) {
    const fs::path real = fs::path(real_folder(path.parent_path())) / path.filename();
    return owners_.owner(real.string()) == FileOwner::user;
  }

  const FileOwners& owners_;
  std::map<std::string, std::string> real_folders_;
  std::map<std::string, bool> found_;
};

// "a/b/c.h" is looked for as such, and before it the folders "a/b" and "a" are.
std::set<std::string> ends_of(const std::set<std::string>& names) {
  std::set<std::string> ends;
  for (const std::string& name : names) {
    for (std::size_t end = name.size(); end != std::string::npos && end != 0; end = name.rfind('/', end - 1)) {
      ends.insert(name.substr(0, end));
    }
  }
  return ends;
}

bool is_asked_for(const std::string& path, const std::set<std::string>& ends) {
  if (ends.count(path) != 0) return true;
  for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    if (ends.count(path.substr(at + 1)) != 0) return true;
  }
  return false;
}

}  // namespace

std::vector<region::Lookup> make_lookups(const std::set<std::string>& missing, const ParsedSource& source,
                                         const FileOwners& owners, const std::vector<std::string>& flags,
                                         const std::string& working_directory) {
  Lookups lookups(owners);
  const std::set<std::string> ends = ends_of(source.recorded.looked_for);
  const std::string stand_in = fs::path(kToolkitPath).parent_path().string();
  for (const std::string& name : missing) {
    if (name.starts_with(stand_in)) continue;
    const auto is_of_flag = [&](const std::string& flag) { return flag.ends_with(name); };
    if (!is_asked_for(name, ends) && std::ranges::none_of(flags, is_of_flag)) continue;
    fs::path path;
    for (const fs::path& part : fs::path(working_directory) / name) {
      if (part != ".") path /= part;
    }
    lookups.add_missing(path);
  }
  for (const FileIndex file : source.recorded.asked_for) lookups.add_found(source.files[file].path);
  return lookups.list();
}

}  // namespace cudahot::extract
