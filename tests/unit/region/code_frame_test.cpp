#include "lib/region/code_frame.hpp"

#include <gtest/gtest.h>

namespace cudahot::region {
namespace {

TEST(Locate, CountsAndNamesLinesAsDirectivesBeforeThemSay) {
  const std::string_view text =
      "a\n"
      "#line 100\n"
      "b\n"
      "c\n"
      " # 7 \"x \\\"y\\\".y\" 2\n"
      "d\n";
  const auto place = [&](std::string_view what) { return locate(text, text.find(what), "f.cu", 1); };
  EXPECT_EQ(place("a\n"), (SourceLocation{"f.cu", 1, 1}));
  EXPECT_EQ(place("#line"), (SourceLocation{"f.cu", 2, 1}));
  EXPECT_EQ(place("c\n"), (SourceLocation{"f.cu", 101, 1}));
  EXPECT_EQ(place("d\n"), (SourceLocation{"x \"y\".y", 7, 1}));
  EXPECT_EQ(line_in_file(text, text.find("d\n")), 6u);
}

TEST(CodeFrame, ShowsTheLineWithACaretBelow) {
  EXPECT_EQ(code_frame("a;\n\tb = c;\nd;\n", 8, 2), "\tb = c;\n\t    ^~\n");
}

TEST(CodeFrame, ShowsOfAVeryLongLineThePartAroundTheOffset) {
  const std::string before(1'000'000, 'b');
  const std::string after(1'000'000, 'a');
  EXPECT_EQ(code_frame(before + "!" + after, before.size()),
            std::string(100, 'b') + "!" + std::string(99, 'a') + "\n" + std::string(100, ' ') + "^\n");
  EXPECT_EQ(code_frame("!" + after, 0), "!" + std::string(199, 'a') + "\n^\n");
}

TEST(CodeFrame, CutsALongLineBetweenCharacters) {
  std::string line;
  for (int i = 0; i < 1000; ++i) line += "\u2603";
  const std::string frame = code_frame(line, 1500);
  EXPECT_EQ(frame.substr(0, 3), "\u2603");
  EXPECT_EQ(frame.substr(frame.find('\n') - 3, 3), "\u2603");
}

}  // namespace
}  // namespace cudahot::region
