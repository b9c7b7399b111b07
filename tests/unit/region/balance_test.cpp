#include <gmock/gmock.h>

#include "lib/region/pragma_lexer.hpp"

namespace cudahot::region {
namespace {

TEST(Balance, AcceptsWhatClosesWhatItOpens) {
  for (const char* body : {"", "f(a[1]);\n{ g(); }\n", "char c = '('; s = \")\"; // }\n", "/* { */ x;\n",
                           "#if A\nif (x) {\n#else\nif (y) {\n#endif\n}\n", "auto s = R\"(}})\";\n", "int n = 1'0'0;\n",
                           "#if 0\n  don't {\n#else\n  {\n#endif\n}\n", "# /* */ if A\n%:else\n#en\\\ndif\n"}) {
    EXPECT_TRUE(check_balance(body, "a.cu", 1)) << body;
  }
}

struct Unbalanced {
  std::string_view body;
  std::uint32_t line;
  std::uint32_t column;
  const char* part_of_message;
};

TEST(Balance, RefusesWhatWouldSwallowTextOutsideTheRegion) {
  const Unbalanced cases[] = {
      {"x;\n}\n", 11, 1, "'}'"},
      {"x; %> <% y;\n", 10, 4, "'}'"},
      {"/\\\n* \" */ } // \"\n", 11, 8, "'}'"},
      {"f((a);\n", 10, 2, "'(' is not closed"},
      {"a[1);\n", 10, 4, "does not match the '['"},
      {"x; /* open\n", 10, 4, "comment"},
      {"s = \"open;\n", 10, 5, "literal"},
      {"#if A\nx;\n", 10, 1, "conditional"},
      {"x;\n#endif\n", 11, 1, "#endif"},
      {"x;\n  #else\n", 11, 3, "#else"},
      {"char c = 'open;\n", 10, 10, "literal"},
      {std::string_view("x;\n\0y;\n", 8), 11, 1, "NUL"},
      {"auto s = R\"(open;\n", 10, 10, "literal"},
  };
  for (const Unbalanced& unbalanced : cases) {
    const auto status = check_balance(unbalanced.body, "/src/a.cu", 10);
    ASSERT_FALSE(status) << unbalanced.body;
    EXPECT_EQ(status.error().location, (SourceLocation{"/src/a.cu", unbalanced.line, unbalanced.column}))
        << unbalanced.body;
    EXPECT_THAT(status.error().message, testing::HasSubstr(unbalanced.part_of_message));
  }
}

}  // namespace
}  // namespace cudahot::region
