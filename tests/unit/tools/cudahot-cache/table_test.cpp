#include "tools/cudahot-cache/table.hpp"

#include <gtest/gtest.h>

namespace cudahot::tool {
namespace {

TEST(Table, AlignsColumnsAndCountsCharactersNotBytes) {
  Table table({{"NAME"}, {"SIZE", true}});
  table.add_row(
      {"sh\xc3\xa4"
       "de",
       "1 B"});
  table.add_row({"x", "60 kB"});
  EXPECT_EQ(table.to_text(0),
            "NAME    SIZE\n"
            "sh\xc3\xa4"
            "de    1 B\n"
            "x      60 kB\n");
}

TEST(Table, CutsTheWideColumnToTheTerminal) {
  Table table({{"NAME", false, true}, {"HITS", true}});
  table.add_row({"a_very_long_kernel_name", "7"});
  EXPECT_EQ(table.to_text(16),
            "NAME        HITS\n"
            "a_very_lo\xe2\x80\xa6     7\n");
}

TEST(Table, HidesControlCharacters) {
  Table table({{"NAME"}});
  table.add("a\x1b[31m\nb\x7f");
  EXPECT_EQ(table.to_text(0), "NAME\na?[31m?b?\n");
}

TEST(Table, LinesAreThoseOfTheText) {
  Table table({{"NAME"}, {"HITS", true}});
  table.add_row({"a", "7"});
  Table::Lines lines(table, 0);
  std::string text = "> ";
  EXPECT_TRUE(lines.append_next(text));
  EXPECT_EQ(text, "> NAME  HITS\n");
  EXPECT_TRUE(lines.append_next(text));
  EXPECT_EQ(text, "> NAME  HITS\na        7\n");
  EXPECT_FALSE(lines.append_next(text));
}

TEST(Table, CutsBetweenCharacters) {
  Table table({{"NAME", false, true}, {"HITS", true}});
  table.add_row({"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", "7"});
  EXPECT_EQ(table.to_text(14),
            "NAME      HITS\n"
            "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xe2\x80\xa6     7\n");
}

TEST(Table, LastColumnIsNotPadded) {
  Table table({{"HITS", true}, {"NAME"}});
  table.add_row({"7", "a"});
  EXPECT_EQ(table.to_text(0), "HITS  NAME\n   7  a\n");
}

}  // namespace
}  // namespace cudahot::tool
