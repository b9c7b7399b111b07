#include "lib/region/pragma_lexer.hpp"

#include <gmock/gmock.h>

namespace cudahot::region {
namespace {

using Kind = PragmaMark::Kind;

TEST(PragmaLexer, FindsBeginAndEndWithLinesAndRanges) {
  const std::string text = "int a;\n  # pragma cudahot begin ( shade ) // why\nx;\n#pragma cudahot end\nint b;";
  const auto marks = find_pragmas(text);
  ASSERT_EQ(marks.size(), 2u);
  EXPECT_EQ(marks[0].kind, Kind::begin);
  EXPECT_EQ(marks[0].name, "shade");
  EXPECT_EQ(marks[0].line_number, 2u);
  EXPECT_EQ(marks[0].column, 3u);
  EXPECT_EQ(text.substr(marks[0].line.begin, marks[0].line.size()), "  # pragma cudahot begin ( shade ) // why\n");
  EXPECT_EQ(marks[1].kind, Kind::end);
  EXPECT_EQ(marks[1].line_number, 4u);
}

TEST(PragmaLexer, SkipsCommentsLiteralsAndRawStrings) {
  const std::string text =
      "// #pragma cudahot begin(a)\n"
      "/*\n#pragma cudahot begin(b)\n*/\n"
      "const char* s = R\"x(\n#pragma cudahot begin(c)\n)\" )x\";\n"
      "const char* t = \"\\\n#pragma cudahot begin(d)\";\n"
      "int n = 1'000; char c = '\"';\n"
      "#pragma cudahot begin(real)\n";
  const auto marks = find_pragmas(text);
  ASSERT_EQ(marks.size(), 1u);
  EXPECT_EQ(marks[0].name, "real");
}

TEST(PragmaLexer, FollowsLineContinuations) {
  const std::string text = "#pragma \\\n cudahot begin(a)\nbody;\n%\\\n:pragma cudahot end\n";
  const auto bodies = find_region_bodies(text, "a.cu");
  ASSERT_TRUE(bodies);
  ASSERT_EQ(bodies->size(), 1u);
  EXPECT_EQ(text.substr((*bodies)[0].body.begin, (*bodies)[0].body.size()), "body;\n");
  EXPECT_EQ((*bodies)[0].first_line, 3u);
}

TEST(PragmaLexer, LeavesOtherPragmasAndMidLineHashesAlone) {
  EXPECT_TRUE(find_pragmas("#pragma unroll\nint x; #pragma cudahot begin(a)\n#define P cudahot\n").empty());
}

struct Refused {
  const char* text;
  const char* id;
  std::uint32_t line;
  const char* part_of_message;
};

TEST(RegionBodies, RefusesPragmasThatDoNotPair) {
  const Refused cases[] = {
      {"\n#pragma cudahot begin(a)\nx;\n", "CH002", 2, "never closed"},
      {"x;\n#pragma cudahot end\n", "CH003", 2, "without a begin"},
      {"#pragma cudahot begin(a)\n#pragma cudahot begin(b)\n", "CH004", 2, "inside region 'a'"},
      {"#pragma cudahot begin(a)\n#pragma cudahot end\n#pragma cudahot begin(a)\n", "CH005", 3, "line 1"},
      {"#pragma cudahot begin(a)\n#pragma cudahot end(b)\n", "CH006", 2, "end(b)"},
      {"#pragma cudahot begin\n", "CH001", 1, "name in parentheses"},
      {"#pragma cudahot start(a)\n", "CH001", 1, "'start'"},
      {"#pragma cudahot begin(1a)\n", "CH001", 1, "name"},
      {"#pragma cudahot begin(a) b\n", "CH001", 1, "name"},
  };
  for (const Refused& refused : cases) {
    const auto bodies = find_region_bodies(refused.text, "/src/a.cu");
    ASSERT_FALSE(bodies) << refused.text;
    const Error& error = bodies.error();
    EXPECT_EQ(error.code, ErrorCode::source);
    ASSERT_EQ(error.diagnostics.size(), 1u);
    const Diagnostic& diagnostic = error.diagnostics[0];
    EXPECT_EQ(diagnostic.id, refused.id) << refused.text;
    EXPECT_EQ(diagnostic.location.file, "/src/a.cu");
    EXPECT_EQ(diagnostic.location.line, refused.line) << refused.text;
    EXPECT_THAT(diagnostic.text, testing::HasSubstr(refused.part_of_message));
    EXPECT_THAT(diagnostic.frame, testing::HasSubstr("^~~"));
    EXPECT_FALSE(diagnostic.hint.empty());
  }
}

TEST(RegionBodies, GivesEachBodyBetweenItsPragmaLines) {
  const std::string text =
      "#pragma cudahot begin(a)\none;\ntwo;\n#pragma cudahot end(a)\n#pragma cudahot begin(b)\n#pragma cudahot end\n";
  const auto bodies = find_region_bodies(text, "a.cu");
  ASSERT_TRUE(bodies);
  ASSERT_EQ(bodies->size(), 2u);
  EXPECT_EQ(text.substr((*bodies)[0].body.begin, (*bodies)[0].body.size()), "one;\ntwo;\n");
  EXPECT_EQ((*bodies)[0].first_line, 2u);
  EXPECT_EQ((*bodies)[1].body.size(), 0u);
  EXPECT_EQ((*bodies)[1].first_line, 6u);
}

}  // namespace
}  // namespace cudahot::region
