#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "lib/region/code_frame.hpp"
#include "lib/region/directive.hpp"
#include "lib/region/pragma_lexer.hpp"
#include "lib/region/raw_scanner.hpp"

namespace cudahot::region {
namespace {

constexpr std::string_view kOpening = "([{";
constexpr std::string_view kClosing = ")]}";

struct OpenBracket {
  char bracket = '(';
  std::size_t offset = 0;
};

// A #if that is open, with the brackets that were open when it began: each of its branches
// starts from there.
struct OpenConditional {
  std::size_t offset = 0;
  std::vector<OpenBracket> brackets;
};

class BalanceChecker {
 public:
  BalanceChecker(std::string_view body, std::string_view file, std::uint32_t first_line)
      : body_(body), file_(file), first_line_(first_line) {}

  Status run() {
    if (const std::size_t at = body_.find('\0'); at != std::string_view::npos) {
      return refuse(at, "a NUL byte: the device compiler reads no further", "remove it");
    }
    RawScanner scanner(body_);
    while (const auto token = scanner.next()) {
      if (!token->terminated && !is_apostrophe_of_skipped_text(*token)) {
        const bool comment = token->kind == RawToken::Kind::comment;
        return refuse(token->range.begin,
                      comment ? "this comment is not closed in the region" : "this literal is not closed on its line",
                      comment ? "close it with */ before the region ends" : "close the quotation");
      }
      Status status;
      if (token->kind == RawToken::Kind::directive) status = on_directive(token->range);
      else if (token->kind == RawToken::Kind::punctuator) status = on_punctuator(*token);
      if (!status) return status;
    }
    if (!conditionals_.empty()) {
      return refuse(conditionals_.back().offset, "this conditional is not closed in the region",
                    "add #endif before the region ends");
    }
    if (!open_.empty()) {
      return refuse(open_.back().offset, fmt::format("'{}' is not closed in the region", open_.back().bracket),
                    fmt::format("add the matching '{}' before the region ends", closing_of(open_.back().bracket)));
    }
    return {};
  }

 private:
  static char closing_of(char opening) { return kClosing[kOpening.find(opening)]; }

  // `#if 0` may hold prose ("don't"). The rest of its line is all that such a literal swallows.
  bool is_apostrophe_of_skipped_text(const RawToken& token) const {
    return !conditionals_.empty() && body_[token.range.begin] == '\'';
  }

  Status on_punctuator(const RawToken& token) {
    const std::size_t offset = token.range.begin;
    const char c = spelling(body_, token).front();
    if (kOpening.find(c) != std::string_view::npos) {
      open_.push_back({c, offset});
      return {};
    }
    if (kClosing.find(c) == std::string_view::npos) return {};
    if (open_.empty()) {
      return refuse(offset, fmt::format("'{}' closes something that was opened before the region", c),
                    "keep brackets balanced between begin and end");
    }
    if (closing_of(open_.back().bracket) != c) {
      return refuse(offset,
                    fmt::format("'{}' does not match the '{}' of line {}", c, open_.back().bracket,
                                locate(body_, open_.back().offset, file_, first_line_).line),
                    "keep brackets balanced between begin and end");
    }
    open_.pop_back();
    return {};
  }

  Status on_directive(TextRange range) {
    const auto tokens = directive_tokens(body_.substr(range.begin, range.size()));
    const std::string word = tokens.empty() ? std::string() : tokens.front();
    if (word == "if" || word == "ifdef" || word == "ifndef") {
      conditionals_.push_back({range.begin, open_});
    } else if (word == "else" || word == "elif" || word == "elifdef" || word == "elifndef" || word == "endif") {
      if (conditionals_.empty()) {
        return refuse(range.begin, fmt::format("#{} belongs to a conditional that was opened before the region", word),
                      "keep #if and #endif of one conditional on the same side of the pragmas");
      }
      if (word == "endif") conditionals_.pop_back();
      else open_ = conditionals_.back().brackets;
    }
    return {};
  }

  tl::unexpected<Error> refuse(std::size_t offset, std::string message, std::string hint) const {
    Diagnostic diagnostic{Severity::error,           "CH026",        locate(body_, offset, file_, first_line_), message,
                          code_frame(body_, offset), std::move(hint)};
    return fail(Error{ErrorCode::source, std::move(message), diagnostic.location, {diagnostic}});
  }

  std::string_view body_;
  std::string_view file_;
  std::uint32_t first_line_;
  std::vector<OpenBracket> open_;
  std::vector<OpenConditional> conditionals_;
};

}  // namespace

Status check_balance(std::string_view body, std::string_view file, std::uint32_t first_line) {
  return BalanceChecker(body, file, first_line).run();
}

}  // namespace cudahot::region
