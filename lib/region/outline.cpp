#include "lib/region/outline.hpp"

#include <algorithm>
#include <array>

#include "lib/region/raw_scanner.hpp"

namespace cudahot::region {
namespace {

template <std::size_t Count>
bool holds(const std::array<std::string_view, Count>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

// What follows them in parentheses is not a parameter list.
constexpr std::array<std::string_view, 9> kNoFunctions{"__launch_bounds__", "__attribute__",  "__cluster_dims__",
                                                       "__maxnreg__",       "__block_size__", "alignas",
                                                       "__align__",         "decltype",       "noexcept"};
// A declaration with one of them is none of a plain function, or does more than to declare it.
constexpr std::array<std::string_view, 9> kNotPlain{"template", "operator", "<",         "=",         "struct",
                                                    "class",    "union",    "namespace", "__global__"};
constexpr std::array<std::string_view, 5> kOpensScope{"struct", "class", "union", "enum", "namespace"};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), scanner_(text) {}

  std::vector<Outlined> run() {
    while (const auto token = scanner_.next()) {
      const std::string_view word = spelling(text_, *token);
      if (token->kind == RawToken::Kind::comment) continue;
      if (token->kind == RawToken::Kind::directive) {
        if (depth_ == 0) finish({});
        take(*token);
        if (depth_ == 0) finish({});
        continue;
      }
      if (word == "{" && depth_ == 0 && is_function()) {
        skip_body();
        finish(function_name());
        continue;
      }
      if (word == "(" && depth_ == 0) note_parentheses();
      take(*token);
      if (word == "(" || word == "[" || word == "{") ++depth_;
      if ((word == ")" || word == "]" || word == "}") && depth_ > 0) --depth_;
      if (depth_ == 0 && (word == ";" || word == "}")) finish({});
    }
    finish({});
    return std::move(found_);
  }

 private:
  void take(const RawToken& token) {
    current_.tokens.emplace_back(spelling(text_, token));
    current_.lines.push_back(line_at(token.range.begin));
  }

  std::uint32_t line_at(std::size_t offset) {
    const auto from = text_.begin() + static_cast<std::ptrdiff_t>(counted_);
    const auto to = text_.begin() + static_cast<std::ptrdiff_t>(offset);
    line_ += static_cast<std::uint32_t>(std::count(from, to, '\n'));
    counted_ = offset;
    return line_;
  }

  void note_parentheses() {
    if (!name_.empty() || current_.tokens.empty() || holds(kNoFunctions, current_.tokens.back())) return;
    name_ = current_.tokens.back();
  }

  bool is_function() const {
    const auto any = [&](auto&& fits) { return std::ranges::any_of(current_.tokens, fits); };
    return !name_.empty() && !single_colon() &&
           !any([](const std::string& token) { return token == "=" || holds(kOpensScope, token); });
  }

  // As before a constructor's initialisers, which may have braces of their own; "::" comes as two tokens.
  bool single_colon() const {
    for (std::size_t i = 0; i < current_.tokens.size(); ++i) {
      if (current_.tokens[i] != ":") continue;
      if (i + 1 < current_.tokens.size() && current_.tokens[i + 1] == ":") {
        ++i;
        continue;
      }
      return true;
    }
    return false;
  }

  std::string function_name() const {
    const auto has = [&](std::string_view word) {
      return std::ranges::find(current_.tokens, word) != current_.tokens.end();
    };
    const bool plain = std::ranges::none_of(current_.tokens, [](const auto& token) { return holds(kNotPlain, token); });
    return plain && has("__device__") ? name_ : std::string();
  }

  void skip_body() {
    for (int depth = 1; depth > 0;) {
      const auto token = scanner_.next();
      if (!token) return;
      if (token->kind != RawToken::Kind::punctuator) continue;
      const char c = spelling(text_, *token).front();
      depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    }
  }

  void finish(std::string function) {
    if (!current_.tokens.empty()) {
      current_.function = std::move(function);
      found_.push_back(std::move(current_));
    }
    current_ = {};
    name_.clear();
  }

  std::string_view text_;
  RawScanner scanner_;
  std::vector<Outlined> found_;
  Outlined current_;
  std::string name_;  // before the first parentheses of the current declaration
  int depth_ = 0;
  std::size_t counted_ = 0;
  std::uint32_t line_ = 0;
};

}  // namespace

std::vector<Outlined> outline(std::string_view text) { return Reader(text).run(); }

std::uint32_t moved_line(const std::vector<Outlined>& before, const std::vector<Outlined>& after, std::uint32_t line) {
  for (const Outlined& each : before) {
    const auto token = std::ranges::find(each.lines, line);
    if (token == each.lines.end()) continue;
    const auto now = std::ranges::find_if(after, [&](const Outlined& other) { return other.same_text(each); });
    if (now != after.end()) return now->lines[static_cast<std::size_t>(token - each.lines.begin())];
  }
  return line;
}

}  // namespace cudahot::region
