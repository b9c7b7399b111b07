#include "lib/extract/code_text.hpp"

#include <gtest/gtest.h>

namespace cudahot::extract {
namespace {

std::string_view up_to(std::string_view text, std::size_t end) { return text.substr(0, end); }

TEST(CodeText, CommentsAreBlankedLinesKept) {
  EXPECT_EQ(without_comments("a /* b\nc */ d // e\n\"// f\""), "a     \n     d     \n\"// f\"");
  EXPECT_EQ(without_comments("#define X 1 // one\n"), "#define X 1       \n");
}

TEST(CodeText, OnlyBracketsOfCodeAreLeft) { EXPECT_EQ(only_code("f(\"(\") /* ) */;"), "f(   )        ;"); }

TEST(FunctionEnd, IsAfterTheBody) {
  const std::string_view text = "f() { if (x) { } } g();";
  EXPECT_EQ(up_to(text, function_end(text, 3)), "f() { if (x) { } }");
}

TEST(FunctionEnd, IsNotAtAMemberInitialiser) {
  const std::string_view text = "S() : a{1}, b(2), c{3} { } int d;";
  EXPECT_EQ(up_to(text, function_end(text, 3)), "S() : a{1}, b(2), c{3} { }");
}

TEST(FunctionEnd, IsAfterTheHandlersOfATryBlock) {
  const std::string_view text = "f() try { } catch (...) { } int d;";
  EXPECT_EQ(up_to(text, function_end(text, 3)), "f() try { } catch (...) { }");
}

TEST(DeclarationEnd, IsAfterTheSemicolonOutsideOfBrackets) {
  const std::string_view text = "int a[2] = {1, 2}; int b;";
  EXPECT_EQ(up_to(text, declaration_end(text, 5)), "int a[2] = {1, 2};");
  const std::string_view last = "enum { a } }";
  EXPECT_EQ(up_to(last, declaration_end(last, 10)), "enum { a } ");
}

TEST(LogicalLine, HoldsContinuations) {
  const std::string_view text = "a\n#if b \\\n  c\nd\n";
  const region::TextRange line = logical_line(text, 4);
  EXPECT_EQ(text.substr(line.begin, line.size()), "#if b \\\n  c");
}

}  // namespace
}  // namespace cudahot::extract
