#include "tests/fuzz/source_mutator.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "lib/region/pragma_lexer.hpp"
#include "lib/region/raw_scanner.hpp"

namespace cudahot::fuzz {
namespace {

using region::RawToken;
using region::TextRange;

constexpr std::array<std::string_view, 44> kTokens{"{",
                                                   "}",
                                                   "(",
                                                   ")",
                                                   "[",
                                                   "]",
                                                   ";",
                                                   ",",
                                                   "<%",
                                                   "%>",
                                                   "\"",
                                                   "'",
                                                   "R\"(",
                                                   "/*",
                                                   "*/",
                                                   "//",
                                                   "\\\n",
                                                   "\\ \n",
                                                   "#",
                                                   "\n#",
                                                   "if (threadIdx.x)",
                                                   "else",
                                                   "for (;;)",
                                                   "do",
                                                   "switch (1)",
                                                   "case 1:",
                                                   "break;",
                                                   "continue;",
                                                   "return;",
                                                   "goto out;",
                                                   "out:",
                                                   "__device__",
                                                   "__host__ __device__",
                                                   "__global__",
                                                   "__shared__",
                                                   "static",
                                                   "template <typename T>",
                                                   "[[maybe_unused]]",
                                                   "_Pragma(\"unroll\")",
                                                   "__syncthreads();",
                                                   "struct S {",
                                                   "namespace n {",
                                                   "({",
                                                   "__FILE__"};

constexpr std::array<std::string_view, 24> kLines{"#if 0",
                                                  "#if 1",
                                                  "#else",
                                                  "#endif",
                                                  "#ifdef __CUDA_ARCH__",
                                                  "#pragma cudahot end",
                                                  "#pragma cudahot begin(more)",
                                                  "#pragma cudahot begin(body)",
                                                  "#pragma cudahot start",
                                                  "#pragma cudahot \\",
                                                  "#pragma unroll",
                                                  "#pragma once",
                                                  "#include <cstdio>",
                                                  "#include <cuda_fp16.h>",
                                                  "#include \"missing.cuh\"",
                                                  "#include __FILE__",
                                                  "#define float double",
                                                  "#define int",
                                                  "#undef __global__",
                                                  "#line 7 \"elsewhere.cu\"",
                                                  "// \\",
                                                  "/*",
                                                  "*/",
                                                  "namespace {"};

constexpr std::array<std::string_view, 6> kBytes{"\xff", "\xc3", "\xe2\x80\x9c", "\xef\xbb\xbf", "\r", "\v"};

class Mutator {
 public:
  Mutator(std::string text, std::string_view donors, Random& random)
      : text_(std::move(text)), donors_(donors), random_(random) {}

  std::string run() {
    const bool in_region = below(2) == 0;
    for (std::size_t left = 1 + std::min({below(4), below(4), below(4)}); left > 0; --left) {
      range_ = in_region ? a_region() : TextRange{0, text_.size()};
      mutate();
    }
    return std::move(text_);
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % std::max<std::size_t>(limit, 1)); }
  template <typename List>
  auto any_of(const List& list) {
    return list[below(list.size())];
  }

  TextRange a_region() {
    const auto bodies = region::find_region_bodies(text_, "");
    if (!bodies || bodies->empty()) return {0, text_.size()};
    return any_of(*bodies).body;
  }

  std::vector<RawToken> tokens_of(std::string_view text) {
    std::vector<RawToken> found;
    region::RawScanner scanner(text);
    while (const auto token = scanner.next()) found.push_back(*token);
    return found;
  }

  // In text_, within range_; empty where there is none.
  TextRange a_token() {
    const auto tokens = tokens_of(std::string_view(text_).substr(range_.begin, range_.size()));
    if (tokens.empty()) return {range_.begin, range_.begin};
    const TextRange token = any_of(tokens).range;
    return {range_.begin + token.begin, range_.begin + token.end};
  }

  std::string donated() {
    if (below(3) == 0) return std::string(any_of(kTokens));
    const auto tokens = tokens_of(donors_);
    if (tokens.empty()) return ";";
    const TextRange token = any_of(tokens).range;
    return std::string(donors_.substr(token.begin, token.size()));
  }

  // With its newline.
  TextRange a_line() {
    std::size_t at = range_.begin + below(range_.size());
    at = at == 0 ? 0 : text_.rfind('\n', at - 1) + 1;
    return {at, std::min(text_.find('\n', at), text_.size() - 1) + 1};
  }

  std::string cut(TextRange range) {
    std::string text = text_.substr(range.begin, range.size());
    text_.erase(range.begin, range.size());
    return text;
  }

  void insert_line(std::string_view line) { text_.insert(a_line().begin, fmt::format("{}\n", line)); }

  void mutate() {
    if (text_.empty()) return;
    if (below(3) != 0) mutate_tokens();
    else if (below(4) != 0) mutate_lines();
    else mutate_bytes();
  }

  void mutate_tokens() {
    const TextRange token = a_token();
    const std::string text = text_.substr(token.begin, token.size());
    switch (below(9)) {
      case 0:
        cut(token);
        break;
      case 1:
        text_.insert(token.begin, text + " ");
        break;
      case 2:
        text_.insert(token.begin, donated() + " ");
        break;
      case 3:
        text_.replace(token.begin, token.size(), donated());
        break;
      case 4: {
        const TextRange other = a_token();
        if (other.begin < token.end) return;
        const std::string moved = text_.substr(other.begin, other.size());
        text_.replace(other.begin, other.size(), text);
        text_.replace(token.begin, token.size(), moved);
        break;
      }
      case 5:
        drop_bracket();
        break;
      default:
        change_number();
    }
  }

  // What compiles most of the time.
  void change_number() {
    for (std::size_t i = range_.begin + below(range_.size()); i < range_.end && i < text_.size(); ++i) {
      if (text_[i] < '0' || text_[i] > '9') continue;
      text_[i] = static_cast<char>('1' + below(9));
      return;
    }
  }

  void drop_bracket() {
    const std::size_t at = text_.find_first_of("(){}[]", range_.begin + below(range_.size()));
    if (at < range_.end) text_.erase(at, 1);
  }

  void mutate_lines() {
    const TextRange line = a_line();
    switch (below(9)) {
      case 0:
        cut(line);
        break;
      case 1:
        text_.insert(line.end, text_.substr(line.begin, line.size()));
        break;
      case 2:
        text_.insert(line.begin, "// ");
        break;
      case 3: {
        const std::string text = cut(line);
        range_ = {0, text_.size()};
        if (!text_.empty()) text_.insert(a_line().begin, text);
        break;
      }
      case 4:
        insert_line(any_of(kLines));
        break;
      case 5:
        surround(below(2) == 0 ? "#if 0" : "#if __CUDA_ARCH__ >= 900", "#endif");
        break;
      case 6:
        surround("#pragma cudahot begin(more)", "#pragma cudahot end");
        break;
      case 7:
        surround("/*", "*/");
        break;
      default:
        move_pragma();
    }
  }

  void surround(std::string_view before, std::string_view after) {
    std::size_t first = a_line().begin;
    std::size_t last = a_line().end;
    if (last < first) std::swap(first, last);
    text_.insert(last, fmt::format("{}{}\n", text_[last - 1] == '\n' ? "" : "\n", after));
    text_.insert(first, fmt::format("{}\n", before));
  }

  void move_pragma() {
    const auto marks = region::find_pragmas(text_);
    if (marks.empty()) return;
    const std::string line = cut(any_of(marks).line);
    range_ = {0, text_.size()};
    if (!text_.empty()) text_.insert(a_line().begin, line);
  }

  void mutate_bytes() {
    const std::size_t at = range_.begin + below(range_.size());
    switch (below(6)) {
      case 0: {
        std::string crlf;
        for (const char c : text_) crlf.append(c == '\n' ? 1 : 0, '\r').push_back(c);
        text_ = crlf;
        break;
      }
      case 1:
        text_.insert(at, any_of(kBytes));
        break;
      case 2:
        text_.insert(at, below(2) == 0 ? "\\\n" : "\\\t\n");
        break;
      case 3:
        text_[at] = static_cast<char>(below(256));
        break;
      case 4:
        text_.resize(at);
        break;
      default:
        text_.erase(at, below(20));
    }
  }

  std::string text_;
  std::string_view donors_;
  Random& random_;
  TextRange range_;  // mutated
};

}  // namespace

std::string mutated(std::string text, std::string_view donors, Random& random) {
  return Mutator(std::move(text), donors, random).run();
}

std::string with_regions(std::string_view text) {
  std::string marked;
  std::size_t copied = 0, depth = 0, kernels = 0;
  int parentheses = 0;
  bool is_kernel = false;
  region::RawScanner scanner(text);
  while (const auto token = scanner.next()) {
    const std::string_view word = text.substr(token->range.begin, token->range.size());
    if (token->kind == RawToken::Kind::word && word == "__global__") is_kernel = true;
    if (!is_kernel || token->kind != RawToken::Kind::punctuator) continue;
    parentheses += word == "(" ? 1 : word == ")" ? -1 : 0;
    if (word == ";" && depth == 0 && parentheses == 0) is_kernel = false;
    if (word == "{" && depth++ == 0) {
      marked.append(text.substr(copied, token->range.end - copied));
      marked += fmt::format("\n#pragma cudahot begin(kernel_{})\n", kernels++);
      copied = token->range.end;
    }
    if (word == "}" && depth > 0 && --depth == 0) {
      marked.append(text.substr(copied, token->range.begin - copied)).append("\n#pragma cudahot end\n");
      copied = token->range.begin;
      is_kernel = false;
    }
  }
  return marked.append(text.substr(copied));
}

}  // namespace cudahot::fuzz
