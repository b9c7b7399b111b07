#include "tools/cudahot-extract/compile_commands.hpp"

#include <algorithm>
#include <array>
#include <optional>
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

std::vector<std::string> without_input_and_output(const std::vector<std::string>& words, const fs::path& file,
                                                  const fs::path& folder) {
  std::vector<std::string> flags;
  std::size_t first = 0;
  while (first < words.size() && is_launcher(words[first])) ++first;
  for (std::size_t i = first + 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "-o" || word == "--output-file" || word == "-MF" || word == "-MT") {
      ++i;
    } else if (word == "-c" || word == "-dc" || word == "-MD" || word == "-MMD" || word == "--") {
      continue;
    } else if (!word.starts_with("-") && resolved(word, folder) == file) {
      continue;
    } else {
      flags.push_back(word);
    }
  }
  return flags;
}

}  // namespace

Result<FileFlags> flags_from_database(const fs::path& folder, const fs::path& file) {
  const fs::path path = folder / kDatabaseName;
  const auto text = base::read_file(path);
  if (!text) return fail(ErrorCode::usage, fmt::format("-p {}: {}", folder.string(), text.error().message));
  const auto database = nlohmann::json::parse(*text, nullptr, false);
  if (!database.is_array()) {
    return fail(ErrorCode::usage, fmt::format("'{}' is not a compilation database", path.string()));
  }
  std::error_code error;
  const fs::path wanted = resolved(file, fs::current_path(error));
  std::optional<FileFlags> found;
  for (const auto& entry : database) {
    if (!entry.is_object()) continue;
    const fs::path directory = resolved(text_of(entry, "directory"), folder);
    if (resolved(text_of(entry, "file"), directory) != wanted) continue;
    if (found) ++found->entries;
    else found = FileFlags{without_input_and_output(words_of(entry), wanted, directory), directory};
  }
  if (found) return std::move(*found);
  return fail(ErrorCode::usage, fmt::format("'{}' has no entry for '{}'", path.string(), file.string()));
}

}  // namespace cudahot::extract_tool
