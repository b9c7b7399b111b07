#include "lib/region/statements.hpp"

#include <vector>

#include "lib/region/directive.hpp"
#include "lib/region/raw_scanner.hpp"

namespace cudahot::region {
namespace {

// What a jump within the text can reach.
struct Around {
  bool loop = false;
  bool loop_or_switch = false;
  bool switch_block = false;
};

// Statements in statements are read by recursion.
constexpr int kDeepest = 500;

bool jumps(std::string_view word) {
  return word == "goto" || word == "break" || word == "continue" || word == "case" || word == "default";
}

class Reader {
 public:
  explicit Reader(std::vector<std::string_view> tokens) : tokens_(std::move(tokens)) {}

  bool run() {
    while (at_ < tokens_.size()) {
      const std::size_t before = at_;
      if (!statement({}) || at_ == before) return false;
    }
    return true;
  }

 private:
  std::string_view token(std::size_t ahead = 0) const {
    return at_ + ahead < tokens_.size() ? tokens_[at_ + ahead] : std::string_view();
  }
  bool take(std::string_view expected) {
    if (token() != expected) return false;
    ++at_;
    return true;
  }

  bool statement(Around around) {
    const Nesting nesting(depth_);
    if (depth_ > kDeepest) return false;
    const std::string_view word = token();
    if (word == "{") return block(around);
    if (take(";")) return true;
    if (take("if")) return branch(around);
    if (take("for") || take("while")) return group() && statement({true, true, around.switch_block});
    if (take("switch")) return group() && statement({around.loop, true, true});
    if (take("do")) return statement({true, true, around.switch_block}) && take("while") && group() && take(";");
    if (word == "case" || word == "default") return around.switch_block && labelled(around);
    if (take("break")) return around.loop_or_switch && take(";");
    if (take("continue")) return around.loop && take(";");
    if (word == "goto" || word == "else" || word == "}") return false;
    if (word != ":" && token(1) == ":" && token(2) != ":") return labelled(around);
    // What may stand before any statement: [[...]] and _Pragma("...").
    if ((word == "[" && token(1) == "[") || take("_Pragma")) return group() && statement(around);
    return plain();
  }

  bool block(Around around) {
    ++at_;
    while (at_ < tokens_.size() && token() != "}") {
      if (!statement(around)) return false;
    }
    return take("}");
  }

  bool branch(Around around) {
    if (token() != "(") ++at_;  // constexpr
    if (!group() || !statement(around)) return false;
    return !take("else") || statement(around);
  }

  bool labelled(Around around) {
    while (at_ < tokens_.size()) {
      if (take(":")) {
        if (!take(":")) return statement(around);
      } else {
        ++at_;
      }
    }
    return false;
  }

  // From an opening bracket to behind the one that closes it.
  bool group() {
    if (token() != "(" && token() != "[" && token() != "{") return false;
    int depth = 0;
    bool statement_expression = false;
    while (at_ < tokens_.size()) {
      const std::string_view word = token();
      ++at_;
      statement_expression |= word == "(" && token() == "{";
      if (statement_expression && jumps(word)) return false;
      if (word == "(" || word == "[" || word == "{") ++depth;
      if ((word == ")" || word == "]" || word == "}") && --depth == 0) return true;
    }
    return false;
  }

  // An expression, a declaration, an asm, or a macro that looks like a call, perhaps with a block behind it.
  bool plain() {
    const bool looks_like_call = token(1) == "(";
    if (looks_like_call) {
      ++at_;
      if (!group()) return false;
      if (token() == "{") return group();
    }
    while (at_ < tokens_.size()) {
      const std::string_view word = token();
      if (jumps(word)) return false;
      if (take(";")) return true;
      if (word == "}") return true;  // a macro brought its own ';'
      if (word == "(" || word == "[" || word == "{") {
        if (!group()) return false;
      } else {
        ++at_;
      }
    }
    return false;
  }

  struct Nesting {
    explicit Nesting(int& of) : depth(of) { ++depth; }
    ~Nesting() { --depth; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;
    int& depth;
  };

  std::vector<std::string_view> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

bool is_conditional(std::string_view directive) {
  const auto tokens = directive_tokens(directive);
  return !tokens.empty() && (tokens.front() == "if" || tokens.front() == "ifdef" || tokens.front() == "ifndef");
}

}  // namespace

bool are_whole_statements(std::string_view text) {
  std::vector<std::string_view> tokens;
  RawScanner scanner(text);
  while (const auto token = scanner.next()) {
    const std::string_view word = spelling(text, *token);
    if (token->kind == RawToken::Kind::directive && is_conditional(word)) return true;
    if (token->kind == RawToken::Kind::word && word.find('\n') != std::string_view::npos) return false;
    if (token->kind != RawToken::Kind::directive && token->kind != RawToken::Kind::comment) tokens.push_back(word);
  }
  return Reader(std::move(tokens)).run();
}

}  // namespace cudahot::region
