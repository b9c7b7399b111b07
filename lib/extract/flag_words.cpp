#include "lib/extract/flag_words.hpp"

#include <fmt/format.h>

#include "lib/base/files.hpp"

namespace cudahot::extract {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

// Collects characters into words.
class Words {
 public:
  void add(char c) {
    word_ += c;
    any_ = true;
  }
  void begin() { any_ = true; }
  void end() {
    if (any_) words_.push_back(std::move(word_));
    word_.clear();
    any_ = false;
  }
  std::vector<std::string> take() {
    end();
    return std::move(words_);
  }

 private:
  std::vector<std::string> words_;
  std::string word_;
  bool any_ = false;
};

// An options file as nvcc 13 reads it: double quotes hold a word together and vanish, escaped ones too; single quotes
// are characters.
std::vector<std::string> split_options_file(std::string_view text) {
  Words words;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      const char next = text[++i];
      words.begin();
      if (next != '"' && next != '\\') words.add(next);
    } else if (c == '"') {
      quoted = !quoted;
      words.begin();
    } else if (is_space(c) && !quoted) {
      words.end();
    } else {
      words.add(c);
    }
  }
  return words.take();
}

class Expander {
 public:
  explicit Expander(const std::filesystem::path& working_directory) : folder_(working_directory) {}

  Status add(const std::vector<std::string>& flags, unsigned depth) {
    for (std::size_t i = 0; i < flags.size(); ++i) {
      const std::string& word = flags[i];
      if (word.size() > 1 && word.front() == '@') {
        if (auto done = add_file(word.substr(1), split_shell_words, depth); !done) return done;
        continue;
      }
      const auto names = options_files(flags, i);
      if (names.empty()) out_.words.push_back(word);
      for (const std::string& name : names) {
        if (auto done = add_file(name, split_options_file, depth); !done) return done;
      }
    }
    return {};
  }

  FlagWords take() { return std::move(out_); }

 private:
  // The files that flags[i] names; i then stands on its last word.
  static std::vector<std::string> options_files(const std::vector<std::string>& flags, std::size_t& i) {
    for (const std::string_view option : {"--options-file", "-options-file", "-optf", "--optf"}) {
      const std::string_view word = flags[i];
      if (word == option && i + 1 < flags.size()) return split_list(flags[++i]);
      if (word.starts_with(option) && word.substr(option.size()).starts_with('=')) {
        return split_list(word.substr(option.size() + 1));
      }
    }
    return {};
  }

  Status add_file(const std::string& name, std::vector<std::string> (*split)(std::string_view), unsigned depth) {
    constexpr unsigned kDeepest = 16;
    if (depth == kDeepest) return fail(ErrorCode::usage, fmt::format("the options file '{}' includes itself", name));
    const std::filesystem::path path = (folder_ / name).lexically_normal();
    const auto content = base::read_file(path);
    if (!content) {
      return fail(ErrorCode::usage,
                  fmt::format("cannot read the options file '{}': {}", name, content.error().message));
    }
    out_.files.push_back(path);
    return add(split(*content), depth + 1);
  }

  std::filesystem::path folder_;
  FlagWords out_;
};

}  // namespace

Result<FlagWords> expand_flag_files(const std::vector<std::string>& flags,
                                    const std::filesystem::path& working_directory) {
  std::error_code error;
  Expander expander(working_directory.is_absolute() ? working_directory
                                                    : std::filesystem::absolute(working_directory, error));
  if (auto added = expander.add(flags, 0); !added) return fail(std::move(added.error()));
  return expander.take();
}

std::vector<std::string> split_shell_words(std::string_view text) {
  Words words;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool escapes = quote == 0 || (quote == '"' && i + 1 < text.size() &&
                                        std::string_view("\"\\$`").find(text[i + 1]) != std::string_view::npos);
    if (c == '\\' && quote != '\'' && escapes && i + 1 < text.size()) {
      words.add(text[++i]);
    } else if (quote != 0) {
      if (c == quote) quote = 0;
      else words.add(c);
    } else if (c == '"' || c == '\'') {
      quote = c;
      words.begin();
    } else if (is_space(c)) {
      words.end();
    } else {
      words.add(c);
    }
  }
  return words.take();
}

std::vector<std::string> split_environment_flags(std::string_view text) {
  Words words;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (is_space(c) && !quoted) words.end();
    else words.add(c);
  }
  return words.take();
}

std::vector<std::string> split_list(std::string_view value) {
  Words items;
  bool quoted = false;
  for (std::size_t i = 0; i < value.size(); ++i) {
    const char c = value[i];
    if (c == '"' && (i == 0 || value[i - 1] != '\\')) quoted = !quoted;
    if (c == '\\' && value.substr(i + 1).starts_with(',')) items.add(value[++i]);
    else if (c == ',' && !quoted) items.end();
    else items.add(c);
  }
  return items.take();
}

}  // namespace cudahot::extract
