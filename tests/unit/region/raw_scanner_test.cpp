#include "lib/region/raw_scanner.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace cudahot::region {
namespace {

using testing::ElementsAre;

// Without comments; of punctuators what they stand for.
std::vector<std::string> tokens(std::string_view text) {
  std::vector<std::string> found;
  RawScanner scanner(text);
  while (const auto token = scanner.next()) {
    if (token->kind == RawToken::Kind::comment) continue;
    found.emplace_back(spelling(text, *token));
  }
  return found;
}

TEST(RawScanner, TakesDigraphsForTheBracketsThatTheyAre) {
  EXPECT_THAT(tokens("<% a<:0:> %>"), ElementsAre("{", "a", "[", "0", "]", "}"));
  EXPECT_THAT(tokens("v<::T>"), ElementsAre("v", "<", ":", ":", "T", ">"));
  EXPECT_THAT(tokens("<\\\n% a %\\\n>"), ElementsAre("{", "a", "}"));
}

TEST(RawScanner, JoinsSplicedLinesInsideOfTokens) {
  EXPECT_THAT(tokens("/\\\n* { *\\\n/ a /\\\n/ }\nb"), ElementsAre("a", "b"));
  EXPECT_THAT(tokens("el\\\nse x"), ElementsAre("el\\\nse", "x"));
  EXPECT_THAT(tokens("R\\\n\"(\n})\" x"), ElementsAre("R\\\n\"(\n})\"", "x"));
  EXPECT_THAT(tokens("\"a\\\\\n\"}\" x"), ElementsAre("\"a\\\\\n\"}\"", "x")) << "a spliced escape";
}

TEST(RawScanner, ReadsWholeLiteralsAndNumbersInDirectives) {
  EXPECT_THAT(tokens("#define Q '\"' /* {\n*/ 1'0\nx"), ElementsAre("#define Q '\"' /* {\n*/ 1'0", "x"));
  EXPECT_THAT(tokens("#define R R\"(\n)\" 2\nx"), ElementsAre("#define R R\"(\n)\" 2", "x"));
  EXPECT_THAT(tokens("##\n"), ElementsAre("#", "#")) << "no directive";
}

}  // namespace
}  // namespace cudahot::region
