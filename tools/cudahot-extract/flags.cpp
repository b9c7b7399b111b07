#include "tools/cudahot-extract/flags.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lib/base/files.hpp"

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
  if (!entry.contains("arguments") || !entry["arguments"].is_array()) return split_command(text_of(entry, "command"));
  std::vector<std::string> words;
  for (const auto& word : entry["arguments"]) {
    if (word.is_string()) words.push_back(word.get<std::string>());
  }
  return words;
}

bool is_launcher(const fs::path& program) {
  const std::string name = program.filename().string();
  return name == "ccache" || name == "sccache" || name == "distcc";
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

// "sm_90", "compute_90,sm_90" or "[compute_90,sm_90]": the real ones, else the virtual ones.
void add_architectures(std::string_view list, std::vector<region::SmArch>& out) {
  std::vector<region::SmArch> virtual_ones;
  bool any_real = false;
  std::string name;
  const auto take = [&] {
    if (const auto arch = region::parse_sm_arch(name)) {
      const bool real = name.starts_with("sm_");
      any_real = any_real || real;
      auto& list_of = real ? out : virtual_ones;
      if (std::ranges::find(list_of, *arch) == list_of.end()) list_of.push_back(*arch);
    }
    name.clear();
  };
  for (const char c : list) {
    if (c == ',') take();
    else if (c != '[' && c != ']' && c != '"' && c != '\'') name += c;
  }
  take();
  if (any_real) return;
  for (const auto& arch : virtual_ones) {
    if (std::ranges::find(out, arch) == out.end()) out.push_back(arch);
  }
}

// `arch=compute_90,code=sm_90`: what is behind "code=", else behind "arch=".
std::string_view code_of(std::string_view generate) {
  if (const std::size_t code = generate.find("code="); code != std::string_view::npos) return generate.substr(code + 5);
  if (const std::size_t arch = generate.find("arch="); arch != std::string_view::npos) return generate.substr(arch + 5);
  return {};
}

// The value of flag `i` if it is one of `names`, written `-name=value` or `-name value`.
template <std::size_t n>
std::optional<std::string_view> value_of(const std::vector<std::string>& flags, std::size_t i,
                                         const std::array<std::string_view, n>& names) {
  const std::string_view flag = flags[i];
  for (const std::string_view name : names) {
    if (flag == name && i + 1 < flags.size()) return flags[i + 1];
    if (flag.starts_with(name) && flag.substr(name.size()).starts_with("=")) return flag.substr(name.size() + 1);
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> split_command(std::string_view command) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool escapes = quote == 0 || (quote == '"' && i + 1 < command.size() &&
                                        std::string_view("\"\\$`").find(command[i + 1]) != std::string_view::npos);
    if (c == '\\' && quote != '\'' && escapes && i + 1 < command.size()) {
      word += command[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote) quote = 0;
      else word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

Result<FileFlags> flags_from_database(const fs::path& folder, const fs::path& file) {
  const fs::path path = folder / "compile_commands.json";
  const auto text = base::read_file(path);
  if (!text) return fail(ErrorCode::usage, fmt::format("-p {}: {}", folder.string(), text.error().message));
  const auto database = nlohmann::json::parse(*text, nullptr, false);
  if (!database.is_array()) {
    return fail(ErrorCode::usage, fmt::format("'{}' is not a compilation database", path.string()));
  }
  std::error_code error;
  const fs::path wanted = resolved(file, fs::current_path(error));
  for (const auto& entry : database) {
    if (!entry.is_object()) continue;
    const fs::path directory = resolved(text_of(entry, "directory"), folder);
    if (resolved(text_of(entry, "file"), directory) != wanted) continue;
    return FileFlags{without_input_and_output(words_of(entry), wanted, directory), directory};
  }
  return fail(ErrorCode::usage, fmt::format("'{}' has no entry for '{}'", path.string(), file.string()));
}

std::vector<region::SmArch> architectures_in(const std::vector<std::string>& flags) {
  static constexpr std::array<std::string_view, 4> kArchitecture = {"-arch", "--gpu-architecture", "--cuda-gpu-arch",
                                                                    "--offload-arch"};
  static constexpr std::array<std::string_view, 2> kGenerate = {"-gencode", "--generate-code"};
  std::vector<region::SmArch> architectures;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (const auto list = value_of(flags, i, kArchitecture)) add_architectures(*list, architectures);
    if (const auto generate = value_of(flags, i, kGenerate)) add_architectures(code_of(*generate), architectures);
  }
  return architectures;
}

}  // namespace cudahot::extract_tool
