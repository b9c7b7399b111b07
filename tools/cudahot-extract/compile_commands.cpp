#include "tools/cudahot-extract/compile_commands.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lib/base/files.hpp"
#include "lib/extract/flag_words.hpp"

namespace cudahot::extract_tool {
namespace {

namespace fs = std::filesystem;

fs::path resolved(const fs::path& path, const fs::path& folder) {
  std::error_code error;
  fs::path whole = fs::weakly_canonical(path.is_absolute() ? path : folder / path, error);
  return error ? path : whole;
}

std::string text_of(const nlohmann::json& entry, const char* field) {
  return entry.contains(field) && entry[field].is_string() ? entry[field].get<std::string>() : std::string();
}

std::vector<std::string> words_of(const nlohmann::json& entry) {
  if (!entry.contains("arguments") || !entry["arguments"].is_array())
    return extract::split_shell_words(text_of(entry, "command"));
  std::vector<std::string> words;
  for (const auto& word : entry["arguments"]) {
    if (word.is_string()) words.push_back(word.get<std::string>());
  }
  return words;
}

// What stands before the compiler: a cache, or env with its assignments.
bool is_launcher(const std::string& word) {
  constexpr std::array<std::string_view, 7> kLaunchers{"ccache",     "sccache", "distcc", "icecc",
                                                       "buildcache", "env",     "nice"};
  const std::string name = fs::path(word).filename().string();
  return std::ranges::find(kLaunchers, name) != kLaunchers.end() || word.find('=') != std::string::npos;
}

// What follows the compiler, but for its input: which of the other words mean something is not decided here.
std::vector<std::string> flags_among(const std::vector<std::string>& words, const fs::path& file,
                                     const fs::path& folder) {
  const auto compiler = std::ranges::find_if_not(words, is_launcher);
  std::vector<std::string> flags;
  if (compiler == words.end()) return flags;
  std::copy_if(std::next(compiler), words.end(), std::back_inserter(flags), [&](const std::string& word) {
    return word != "--" && (word.starts_with("-") || resolved(word, folder) != file);
  });
  return flags;
}

}  // namespace

Result<CompilationDatabase> CompilationDatabase::read(const fs::path& folder) {
  std::error_code error;
  CompilationDatabase database;
  database.path_ = fs::absolute(folder / "compile_commands.json", error).lexically_normal();
  const auto text = base::read_file(database.path_);
  if (!text) return fail(ErrorCode::usage, fmt::format("-p {}: {}", folder.string(), text.error().message));
  const auto document = nlohmann::json::parse(*text, nullptr, false);
  if (!document.is_array()) {
    return fail(ErrorCode::usage, fmt::format("'{}' is not a compilation database", database.path_.string()));
  }
  for (const auto& entry : document) {
    if (!entry.is_object()) continue;
    const fs::path directory = resolved(text_of(entry, "directory"), database.path_.parent_path());
    const fs::path file = resolved(text_of(entry, "file"), directory);
    const auto [known, first] = database.entries_.try_emplace(file);
    if (first) known->second = {words_of(entry), directory};
    else ++known->second.count;
  }
  return database;
}

Result<FileFlags> CompilationDatabase::flags_of(const fs::path& file) const {
  std::error_code error;
  const fs::path wanted = resolved(file, fs::current_path(error));
  const auto known = entries_.find(wanted);
  if (known == entries_.end()) {
    return fail(ErrorCode::usage, fmt::format("'{}' has no entry for '{}'", path_.string(), file.string()));
  }
  const auto& [words, directory, count] = known->second;
  return FileFlags{flags_among(words, wanted, directory), directory, count};
}

}  // namespace cudahot::extract_tool
