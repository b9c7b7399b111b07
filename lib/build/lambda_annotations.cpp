#include "lib/build/lambda_annotations.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <vector>

#include "lib/region/directive.hpp"
#include "lib/region/raw_scanner.hpp"

namespace cudahot::build {
namespace {

using region::RawScanner;
using region::RawToken;
using region::TextRange;

using Words = std::set<std::string, std::less<>>;

// The words that say an execution space: CUDA's, and macros of the text that stand for nothing else.
Words execution_spaces(std::string_view text) {
  Words words{"__host__", "__device__"};
  const auto definitions = region::macro_changes(text);
  for (std::size_t known = 0; known != words.size();) {
    known = words.size();
    for (const auto& definition : definitions) {  // "define", its name, its tokens
      if (definition.size() < 3 || definition[0] != "define") continue;
      const bool spaces = std::all_of(definition.begin() + 2, definition.end(),
                                      [&](const std::string& word) { return words.count(word) != 0; });
      if (spaces) words.insert(definition[1]);
    }
  }
  return words;
}

class Blanking {
 public:
  explicit Blanking(std::string_view text) : text_(text), result_(text), spaces_(execution_spaces(text)) {}

  std::string run() && {
    scan({0, text_.size()});
    return std::move(result_);
  }

 private:
  // The tokens of a part of the text that make code; what directives hold is looked at by itself.
  void scan(TextRange part) {
    std::vector<TextRange> tokens;
    RawScanner scanner(text_.substr(part.begin, part.size()));
    while (const auto token = scanner.next()) {
      const TextRange range{part.begin + token->range.begin, part.begin + token->range.end};
      if (token->kind == RawToken::Kind::directive) scan({range.begin + 1, range.end});
      else if (token->kind != RawToken::Kind::comment && text_[range.begin] != '\\') tokens.push_back(range);
    }
    tokens_ = std::move(tokens);
    std::vector<bool> open;  // for each '[' whether it begins an attribute
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (word(i) == "[") {
        const bool attribute = word(i + 1) == "[" || (i > 0 && word(i - 1) == "[");
        open.push_back(attribute);
      } else if (word(i) == "]" && !open.empty()) {
        if (!open.back()) blank_behind(i + 1);
        open.pop_back();
      }
    }
  }

  // `at`: behind what may be the captures of a lambda. Nothing else in front of an execution space ends in ']'.
  void blank_behind(std::size_t at) {
    if (word(at) == "<") at = behind_template_parameters(at);
    for (;; ++at) {
      if (word(at) == "[" && word(at + 1) == "[") {
        while (!word(at).empty() && !(word(at) == "]" && word(at + 1) == "]")) ++at;
        ++at;
      } else if (spaces_.count(word(at)) != 0) {
        std::fill(result_.begin() + static_cast<std::ptrdiff_t>(tokens_[at].begin),
                  result_.begin() + static_cast<std::ptrdiff_t>(tokens_[at].end), ' ');
      } else {
        return;
      }
    }
  }

  std::size_t behind_template_parameters(std::size_t at) const {
    for (std::size_t depth = 0; at < tokens_.size(); ++at) {
      if (word(at) == ";" || word(at) == "{") break;  // it was a comparison
      if (word(at) == "<") ++depth;
      if (word(at) == ">" && --depth == 0) return at + 1;
    }
    return tokens_.size();
  }

  std::string_view word(std::size_t at) const {
    return at < tokens_.size() ? text_.substr(tokens_[at].begin, tokens_[at].size()) : std::string_view();
  }

  std::string_view text_;
  std::string result_;
  const Words spaces_;
  std::vector<TextRange> tokens_;
};

}  // namespace

std::string without_lambda_annotations(std::string_view text) { return Blanking(text).run(); }

}  // namespace cudahot::build
