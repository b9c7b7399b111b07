// Any text: the raw scanner sees the brackets that Clang's lexer sees, outside of directives, comments and literals,
// and the pragma lexer the pragmas.
#include <optional>
#include <utility>

#include <clang/Basic/LangOptions.h>
#include <clang/Lex/Lexer.h>

#include "lib/base/files.hpp"
#include "lib/region/pragma_lexer.hpp"
#include "lib/region/raw_scanner.hpp"
#include "tests/fuzz/fuzz_target.hpp"

namespace cudahot::fuzz {
namespace {

namespace tok = clang::tok;

// What both agree on: brackets, and '#' for a directive, each with its offset; and where pragmas of cudahot stand.
struct Seen {
  std::vector<std::pair<char, std::size_t>> marks;
  std::vector<std::size_t> pragmas;

  friend bool operator==(const Seen&, const Seen&) = default;
};

class ClangTokens {
 public:
  explicit ClangTokens(const std::string& text)
      : text_(text), lexer_(kStart, options(), text.data(), text.data(), text.data() + text.size()) {}

  bool next() {
    lexer_.LexFromRawLexer(token);
    return token.isNot(tok::eof);
  }
  // Behind line splices, which Clang counts to the token.
  std::size_t offset() const {
    std::size_t at = token.getLocation().getRawEncoding() - kStart.getRawEncoding();
    while (text_.compare(at, 2, "\\\n") == 0) at += 2;
    return at;
  }

  std::string word() const {
    return token.is(tok::raw_identifier) ? region::without_splices(token.getRawIdentifier().str()) : std::string();
  }

  clang::Token token;

 private:
  static const clang::LangOptions& options() {
    static const clang::LangOptions made = [] {
      clang::LangOptions language;
      language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
      language.C99 = true;  // or the '-' of 1p-1 is a token apart
      language.Digraphs = language.LineComment = language.RawStringLiterals = language.DollarIdents = true;
      return language;
    }();
    return made;
  }
  static inline const clang::SourceLocation kStart = clang::SourceLocation::getFromRawEncoding(1);

  const std::string& text_;
  clang::Lexer lexer_;
};

// nullopt: an error to Clang, which goes on by its own lights.
std::optional<Seen> as_clang_sees(const std::string& text) {
  Seen seen;
  ClangTokens tokens(text);
  bool in_directive = false;
  std::size_t hash = 0, words = 0;
  while (tokens.next()) {
    const clang::Token& token = tokens.token;
    if (token.is(tok::unknown)) return std::nullopt;
    if (token.isAtStartOfLine()) in_directive = false;
    if (token.is(tok::hash) && token.isAtStartOfLine()) {
      in_directive = true;
      hash = tokens.offset();
      words = 0;
      seen.marks.emplace_back('#', hash);
    } else if (in_directive) {
      const std::string word = tokens.word();
      if (words == 0 && word != "pragma") words = 2;
      if (words++ == 1 && word == "cudahot") seen.pragmas.push_back(hash);
    } else {
      static const std::pair<tok::TokenKind, char> kBrackets[] = {{tok::l_paren, '('},  {tok::r_paren, ')'},
                                                                  {tok::l_square, '['}, {tok::r_square, ']'},
                                                                  {tok::l_brace, '{'},  {tok::r_brace, '}'}};
      for (const auto& [kind, bracket] : kBrackets) {
        if (token.is(kind)) seen.marks.emplace_back(bracket, tokens.offset());
      }
    }
  }
  return seen;
}

Seen as_region_sees(std::string_view text) {
  using Kind = region::RawToken::Kind;
  Seen seen;
  region::RawScanner scanner(text);
  while (const auto token = scanner.next()) {
    const char first = region::spelling(text, *token).front();
    const bool bracket = std::string_view("()[]{}").find(first) != std::string_view::npos;
    if (token->kind == Kind::directive) seen.marks.emplace_back('#', token->range.begin);
    if (token->kind == Kind::punctuator && bracket) seen.marks.emplace_back(first, token->range.begin);
  }
  for (const region::PragmaMark& mark : region::find_pragmas(text)) {
    seen.pragmas.push_back(mark.line.begin + mark.column - 1);
  }
  return seen;
}

// Operators that swallow the first character of a digraph, or begin with one: no program has them.
bool has_ambiguous_digraph(const std::string& spliced) {
  const std::string text = region::without_splices(spliced);
  for (const std::string_view each : {"::>", "<<%", "<<:", "%:%:", "%:>"}) {
    if (text.find(each) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> seeds() {
  return {
      "int a;\n  # pragma cudahot begin ( shade ) // why\nx[0] = {(1)};\n%:pragma \\\n cudahot end\n",
      "/*\n#pragma cudahot begin(b)\n*/ /\\\n* } *\\\n/ # pragma cudahot end\n",
      "auto s = R\"x(\n#pragma cudahot begin(c)\n)\" )x\"; auto t = u8R\"(})\", v = L\"\\\"}\"; char c = '\"', d = "
      "'\\'';",
      "int n = 1'000 + 0x1p-3 + .5e+1'0; // { \\\n } \n#define A(x) '\"' /* ( \n ) */ #x 1'0 R\"(})\"\n",
      "#if 0\ndon't {\n#else\n}\n#endif\n#error don't /* {\n",
      "vector<::T> a<:3:>; if (x) <% y(); %> a->*b <<= c; f<::>();\n",
  };
}

}  // namespace cudahot::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace cudahot;
  const std::string text = base::normalise_source({reinterpret_cast<const char*>(data), size});
  if (text.find('\0') != std::string::npos || fuzz::has_ambiguous_digraph(text)) return 0;
  if (const auto expected = fuzz::as_clang_sees(text)) {
    fuzz::require(fuzz::as_region_sees(text) == *expected,
                  "brackets, directives and pragmas are where Clang sees them");
  }
  return 0;
}
