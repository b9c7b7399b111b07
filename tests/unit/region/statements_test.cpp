#include "lib/region/statements.hpp"

#include <string>

#include <gtest/gtest.h>

namespace cudahot::region {
namespace {

class Whole : public testing::TestWithParam<const char*> {};
class Doubtful : public testing::TestWithParam<const char*> {};

TEST_P(Whole, StatementsNeedNoCompiler) { EXPECT_TRUE(are_whole_statements(GetParam())); }
TEST_P(Doubtful, StatementsAreTheCompilersToJudge) { EXPECT_FALSE(are_whole_statements(GetParam())); }

INSTANTIATE_TEST_SUITE_P(
    Statements, Whole,
    testing::Values("", "// nothing\n", "a = 1;", ";", "{ a = 1; b(); }", "int x = 1, y{2};", "return;",
                    "if (a) b(); else if (c) { d(); } else e();", "if constexpr (a) { b(); }",
                    "for (int i = 0; i < 3; ++i) { if (i) continue; break; }", "while (a) if (b) break;",
                    "do { continue; } while (a);", "switch (a) { case 1: b(); break; case N::two: default: c(); }",
                    "for (;;) switch (a) { case 1: continue; }", "next: a = 1;", "N::f<3>(a);", "::f();",
                    "auto f = [&](int i) { while (i) break; return i; };", "struct S { int a; int f() { return a; } };",
                    "asm volatile(\"mov %0, %1;\" : \"=r\"(a) : \"r\"(b));", "FOR(i, n) { a(); } b();", "{ MACRO(1) }",
                    "#pragma unroll\nfor (;;) a();", "_Pragma(\"unroll\") for (;;) { break; }", "[[likely]] a();",
                    "if (a) [[unlikely]] { b(); } else [[likely]] c();", "[[maybe_unused]] int x = 1;",
                    "switch (a) { case 1: b(); [[fallthrough]]; default: c(); }", "if (a) next: b(); else c();",
                    "a = ({ b(); 1; });", "f({1, 2});", "if (a) <% b(); %>", "#if A\nbreak;\n#endif\n"));

INSTANTIATE_TEST_SUITE_P(Statements, Doubtful,
                         testing::Values("a = 1", "if (a)", "for (;;)", "else a();", "break;", "if (a) continue;",
                                         "switch (a) { case 1: continue; }", "case 1: a();", "default: a();",
                                         "{ case 1: a(); }", "goto next;", "if (a) { goto next; }", "do a();",
                                         "label:;x", "[[likely]] break;", "_Pragma(\"unroll\") goto next;",
                                         "if (a) [[likely]] continue;", "asm goto(\"\" : : : : done);",
                                         "asm volatile goto(\"\" : : : : done);", "MACRO(1)", "}",
                                         "for (;;) a(); break;", "label:", "if (a) label:", "{ label: }",
                                         "_Pragma(\"unroll\")", "MACRO(1) break;", "a = ({ break; 1; });",
                                         "go\\\nto next;", "a(); %>"));

TEST(Statements, NestedDeeperThanAnyoneWritesAreTheCompilersToJudge) {
  EXPECT_FALSE(are_whole_statements(std::string(100000, '{') + std::string(100000, '}')));
  EXPECT_TRUE(are_whole_statements(std::string(100, '{') + std::string(100, '}')));
}

}  // namespace
}  // namespace cudahot::region
